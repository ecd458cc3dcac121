"""`python -m bench.substitutes TOOLS LABELS [--vectors FILE]`: how good substitutes are, by method, on labelled tools.

TOOLS is a result of tools/list; LABELS holds groups of tools that can stand in for each other (`substitutes`) and pairs that
must never be listed (`never`). Only tools in a group count: of their first three substitutes the share that is in it, of the
others of the group the share among the first five. Vectors are lines of a word and its numbers, as GloVe's are.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from pathlib import Path

import click

from outcome_monitors.recovery.effects import action
from outcome_monitors.recovery.mining import Sources, Tool, build, read_tools
from outcome_monitors.recovery.mining.frames import Vector, read_frames
from outcome_monitors.recovery.mining.lexicon import named
from outcome_monitors.recovery.mining.likeness import cosine
from outcome_monitors.recovery.mining.phrases import body
from outcome_monitors.recovery.mining.signatures import substitutes
from outcome_monitors.recovery.mining.vocabulary import tokens
from outcome_monitors.recovery.relations import Relation

from ._report import Table, show

__all__ = ["compared", "standing", "table"]

FIRST, SOME = 3, 5
WORDS, ALONE = 0.35, 0.7
"""What two tools must score where words or vectors alone are compared: the best of those tried on the servers marked `tuned`."""

Listed = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Standing:
    """How lists of substitutes stand to labels."""

    listed: int
    right: int
    known: int
    found: int
    forbidden: int

    def row(self, name: str) -> tuple[str, ...]:
        """Return the figures as a row."""
        return (
            name,
            f"{self.right / (self.listed or 1):.3f} ({self.right} of {self.listed})",
            f"{self.found / (self.known or 1):.3f} ({self.found} of {self.known})",
            f"{self.forbidden}",
        )


def standing(listed: Listed, groups: Sequence[Sequence[str]], never: Sequence[Sequence[str]]) -> Standing:
    """Count."""
    known: dict[str, set[str]] = {}
    for group in groups:
        for name in group:
            known.setdefault(name, set()).update(set(group) - {name})
    first = [(name, other) for name in known for other in listed.get(name, ())[:FIRST]]
    some = [(name, other) for name in known for other in listed.get(name, ())[:SOME]]
    pairs = [(one, other) for pair in never for one in pair for other in pair if one != other]
    return Standing(
        listed=len(first),
        right=sum(other in known[name] for name, other in first),
        known=sum(map(len, known.values())),
        found=sum(other in known[name] for name, other in some),
        forbidden=sum(other in listed.get(one, ()) for one, other in pairs),
    )


def compared(
    tools: Sequence[Tool], labels: Path, vectors: Path | None = None
) -> Iterator[tuple[str, Standing]]:
    """Yield each method, and how its lists stand to the labels."""
    told = json.loads(labels.read_text(encoding="utf-8"))
    for method, listed in _methods(tools, vectors):
        yield method, standing(listed, told["substitutes"], told["never"])


def _methods(tools: Sequence[Tool], path: Path | None) -> Iterator[tuple[str, Listed]]:
    bags = _bags(tools)
    yield "rare words", _nearest(tools, bags, WORDS)
    if path is not None:
        means = _means(bags, _read_vectors(path, {word for bag in bags for word in bag}))
        yield "word vectors", _nearest(tools, means, ALONE)
        frames = [replace(frame, text=mean) for frame, mean in zip(read_frames(tools), means, strict=True)]
        yield "parsed, descriptions by word vectors", _names(substitutes(frames))
    yield "parsed", _names(build(Sources(tools=tools)))


def _names(found: Mapping[str, Sequence[Relation]]) -> Listed:
    return {tool: [relation.tool for relation in listed] for tool, listed in found.items()}


def _nearest(tools: Sequence[Tool], points: Sequence[Vector], least: float) -> Listed:
    """List what is nearest among the tools that do the same kind of thing."""
    done = [action(tool) for tool in tools]
    found: dict[str, list[str]] = {}
    for one, tool in enumerate(tools):
        others = (other for other in range(len(tools)) if other != one and done[other] == done[one])
        scores = {tools[other].name: cosine(points[one], points[other]) for other in others}
        ranked = sorted(scores, key=lambda name: (-scores[name], name))
        found[tool.name] = [name for name in ranked[:SOME] if scores[name] >= least]
    return found


def _bags(tools: Sequence[Tool]) -> list[Vector]:
    """Return the words of each name, twice, and of each description, by how rare they are."""
    silent = named("stop") | named("joints")
    said = [
        Counter(word for word in (*2 * tokens(_own(tool)), *tokens(body(tool.about))) if word not in silent)
        for tool in tools
    ]
    times = Counter(word for words in said for word in words)
    return [
        _unit({word: (1 + log(count)) * log(1 + len(tools) / times[word]) for word, count in words.items()})
        for words in said
    ]


def _own(tool: Tool) -> str:
    return tool.name.rpartition("__")[2]


def _read_vectors(path: Path, wanted: set[str]) -> dict[str, list[float]]:
    with path.open(encoding="utf-8") as lines:
        split = (line.rstrip().split(" ") for line in lines)
        return {word: [float(number) for number in numbers] for word, *numbers in split if word in wanted}


def _means(bags: Sequence[Vector], known: Mapping[str, Sequence[float]]) -> list[Vector]:
    """Return the mean of the vectors of each bag, without what all have in common."""
    size = len(next(iter(known.values()), ()))
    sums = [
        _unit(
            {
                f"{place}": sum(weight * known[word][place] for word, weight in bag.items() if word in known)
                for place in range(size)
            }
        )
        for bag in bags
    ]
    common = {f"{place}": sum(one.get(f"{place}", 0.0) for one in sums) / len(sums) for place in range(size)}
    return [_unit({place: value - common[place] for place, value in one.items()}) for one in sums]


def _unit(vector: Mapping[str, float]) -> Vector:
    length = sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}


def table(tools: Path, labels: Path, vectors: Path | None = None) -> Table:
    """Measure, and return the figures of each method."""
    rows = [found.row(method) for method, found in compared(read_tools(tools), labels, vectors)]
    return Table(
        "Substitutes on labelled tools, by method",
        ("method", ">precision at 3", ">recall at 5", ">forbidden pairs"),
        tuple(rows),
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("tools", type=click.Path(path_type=Path, exists=True))
@click.argument("labels", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--vectors", type=click.Path(path_type=Path, exists=True), help="Lines of a word and its numbers."
)
def main(tools: Path, labels: Path, vectors: Path | None) -> None:
    """Hold substitutes against labels, by method."""
    show(table(tools, labels, vectors))


if __name__ == "__main__":
    main(prog_name="python -m bench.substitutes")
