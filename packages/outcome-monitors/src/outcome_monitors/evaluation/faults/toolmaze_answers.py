"""ToolMaze's faults against what is known from elsewhere: constant facts, answers to another question."""

from collections.abc import Iterator

from .places import Edits, Node, canonical, child, edit, look
from .view import View, objects, same_question
from .vocabulary import is_flag, is_id, text_slot

__all__ = ["entity_changed", "impossible_neighbours", "other_entity", "other_kind", "repeated_answer_changed"]

# So many other values are offered for one place: enough to differ from call to call.
_SOME = 4


def entity_changed(view: View) -> Iterator[Edits]:
    """Change an attribute that an id always had."""
    for node in objects(view):
        for key in view.corpus.entities.constant(view.call.tool, node):
            yield from _exchanged(view, child(node, key))


def repeated_answer_changed(view: View) -> Iterator[Edits]:
    """Change a value that the same question was always answered with."""
    answers = [
        *view.corpus.answers(view.call.tool, view.call.arguments),
        *(call.result for call in same_question(view)),
    ]
    for node in view.nodes if answers else ():
        plain = type(node.value) in (str, int, float) and not (is_id(node.key) or is_flag(node.key))
        if plain and all(look(answer, node.place) == node.value for answer in answers):
            yield from _exchanged(view, node)


def _exchanged(view: View, node: Node) -> Iterator[Edits]:
    return (edit(node.place, other) for other in view.corpus.values.others(view.call.tool, node)[:_SOME])


def impossible_neighbours(view: View) -> Iterator[Edits]:
    """Put a city in a country, or a currency beside a country, where it was never seen."""
    for node in objects(view):
        for key, wrong in view.corpus.companions.impossible(node.value):
            yield edit((*node.place, key), wrong)


def other_entity(view: View) -> Iterator[Edits]:
    """Answer with this tool's result for other arguments, with the same keys where there is such a one."""
    asked = canonical(dict(view.call.arguments))
    others = [
        call.result
        for call in view.corpus.calls(view.call.tool)
        if type(call.result) is type(view.result) and call.result != view.result
        if canonical(dict(call.arguments)) != asked
    ]
    if isinstance(view.result, dict):
        others = [other for other in others if other.keys() == view.result.keys()] or others
    return (edit((), other) for other in others)


def other_kind(view: View) -> Iterator[Edits]:
    """Put another tool's text where the text was, or answer with another tool's list."""
    slot = text_slot(view.nodes, view.asked)
    for tool in view.corpus.tools:
        if tool != view.call.tool:
            text, rows = view.corpus.texts.get(tool), view.corpus.calls(tool)[0].result
            if slot is not None and slot.value and text and text != slot.value:
                yield edit(slot.place, text)
            if isinstance(view.result, list) and isinstance(rows, list) and rows != view.result:
                yield edit((), rows)
