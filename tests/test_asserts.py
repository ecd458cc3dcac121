"""No test passes because there was nothing to look at: of its assertions, one at least is reached however few things there are."""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PYTEST = frozenset({"raises", "warns", "fail"})
"""What asserts, beside the statement."""
KEEPING = frozenset("enumerate items keys list map product reversed sorted tuple values zip".split())  # noqa: SIM905 - words
"""Calls that give something where they are given something."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Names = Collection[str]


def gives_some(node: ast.AST | None, tables: Names) -> bool:
    """Say whether something to loop over is plainly not empty: written out, or one of the names of such."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Name(id=name):
            return name in tables
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) | ast.Dict(keys=items):
            return any(not isinstance(item, ast.Starred) or gives_some(item.value, tables) for item in items)
        case ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant()):
            return gives_some(left, tables)
        case ast.ListComp(generators=loops):
            return all(gives_some(loop.iter, tables) and not loop.ifs for loop in loops)
        case ast.Call(func=ast.Name(id="range"), args=args):
            return all(isinstance(arg, ast.Constant) for arg in args)
        case ast.Call(func=ast.Name(id=name), args=args) if name in KEEPING:
            return bool(args) and all(gives_some(arg, tables) for arg in args[name == "map" :])
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in KEEPING:
            return gives_some(value, tables)
    return False


def inner(function: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions that are defined inside one."""
    return [node for node in ast.walk(function) if isinstance(node, FUNCTIONS) and node is not function]


class Reach:
    """Which assertions of a function are reached at all events: `helpers` are names of functions that assert."""

    def __init__(self, tables: Names, helpers: Names) -> None:
        self.tables, self.helpers = tables, helpers

    def of(self, function: ast.AST) -> list[bool]:
        """Return of each assertion whether no loop decides on it; a function inside counts where it is named."""
        own = {
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }
        asserting = {node.name for node in inner(function) if any(self.of(node))}
        helpers = {*self.helpers} - own - {node.name for node in inner(function)} | asserting
        return list(Reach(tables_in(ast.walk(function), self.tables), helpers)._in(function, sure=True))

    def _in(self, node: ast.AST, *, sure: bool) -> Iterator[bool]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, FUNCTIONS):
                yield from self._at(child, sure=sure)

    def _at(self, node: ast.AST, *, sure: bool) -> Iterator[bool]:
        match node:
            case ast.Assert(test=ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp() as loops])):
                yield sure and self._runs(loops)
            case ast.Assert():
                yield sure
            case ast.Name(id=name) if name in self.helpers:
                yield sure
            case ast.Attribute(value=ast.Name(id="pytest"), attr=name) if name in PYTEST:
                yield sure
            case _:
                yield from self._in(node, sure=sure and self._runs(node))

    def _runs(self, node: ast.AST) -> bool:
        """Say whether what is in a node is reached, as far as it is a loop."""
        match node:
            case ast.For(iter=over) | ast.AsyncFor(iter=over):
                return gives_some(over, self.tables)
            case ast.While(test=test):
                return gives_some(test, ())
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return all(gives_some(loop.iter, self.tables) and not loop.ifs for loop in node.generators)
        return True


def tables_in(nodes: Iterable[ast.AST], known: Names = ()) -> set[str]:
    """Return the names that stand for something written out, beside those that are known and not given anew."""
    found = dict.fromkeys(known, True)
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = gives_some(value, [n for n, some in found.items() if some])
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                found[name] = gives_some(value, [n for n, some in found.items() if some])
            case ast.arg(arg=name):
                found[name] = False
    return {name for name, some in found.items() if some}


def helpers_in(modules: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Return of each module the functions it has or imports that assert something at all events; fixtures for all."""
    found: dict[str, set[str]] = {name: set() for name in modules}
    before = -1
    while before < (before := sum(map(len, found.values()))):
        shared = set[str]().union(*(found[name] for name in modules if name.endswith("conftest")))
        for name, module in modules.items():
            for node in module.body:
                if isinstance(node, FUNCTIONS) and not node.name.startswith("test_"):
                    # What a fixture asserts by itself is of the set-up.
                    parts = inner(node) if node.decorator_list else [node]
                    if any(any(Reach((), found[name]).of(part)) for part in parts):
                        found[name].add(node.name)
                if isinstance(node, ast.ImportFrom):
                    found[name] |= {each.name for each in node.names} & found.get(node.module or "", set())
            found[name] |= shared
    return found


def hollow(module: ast.Module, helpers: Names = ()) -> list[str]:
    """Return the tests all of whose assertions are in loops that may have nothing to go over."""
    tests = [n for n in ast.walk(module) if isinstance(n, FUNCTIONS) and n.name.startswith("test_")]
    reach = Reach(tables_in(module.body), helpers)
    return [test.name for test in tests if (found := reach.of(test)) and not any(found)]


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    """The tests, by the names that they are imported by."""
    files = sorted(TESTS.rglob("*.py"))
    names = [".".join(file.relative_to(TESTS.parent).with_suffix("").parts) for file in files]
    return dict(zip(names, (ast.parse(file.read_bytes()) for file in files), strict=True))


def test_no_test_passes_for_want_of_something_to_look_at(modules):
    helpers = helpers_in(modules)
    assert len(modules) > 100
    assert {"golden", "one_sentence"} <= helpers["tests.conftest"]
    assert [
        f"{name}: {test}" for name, module in modules.items() for test in hollow(module, helpers[name])
    ] == []


@pytest.mark.parametrize(
    "body",
    [
        "for each in found(): assert each",
        "for each in [*found()]: assert each",
        "for n in range(count): assert n",
        "for a in (1, 2):\n  for b in found(a): assert b",
        "assert all(each for each in found())",
        "assert all(n for n in (1, 2) if n in found())",
        "while found(): assert found().pop()",
        "for each in found():\n  with pytest.raises(ValueError): each()",
        "for each in found(): flags(each)",
        "[flags(each) for each in found()]",
        "def inner(): assert 1\nfor each in found(): inner()",
        "TABLE = found()\nfor each in TABLE: assert each",
    ],
)
def test_what_may_go_over_nothing_is_found(body):
    lines = "\n  ".join(body.splitlines())
    module = ast.parse(f"TABLE = (1, 2)\ndef test_it(count):\n  {lines}\n")
    assert hollow(module, {"flags"}) == ["test_it"]


@pytest.mark.parametrize(
    "body",
    [
        "assert found()\nfor each in found(): assert each",
        "for each in (1, 2): assert each",
        "for each in [*TABLE, *found()] * 2: assert each",
        "for n, each in enumerate(sorted(TABLE)): assert each",
        "assert all(each for each in TABLE)",
        "while True: assert found()",
        "for n in range(3): flags(n)",
        "with pytest.raises(ValueError): found()",
        "async def inner(): assert 1\nrun(inner)",
        "found()",
    ],
)
def test_what_is_looked_at_in_any_case_is_not(body):
    lines = "\n  ".join(body.splitlines())
    module = ast.parse(f"TABLE = (1, 2)\ndef test_it(count):\n  {lines}\n")
    assert hollow(module, {"flags"}) == []
