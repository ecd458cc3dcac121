"""Receipts in words of one's own: forms as data, each an arm, to find out which words a model heeds.

A file of forms is a list of objects:

    {"name": "plain", "words": "{field} looks wrong: expected {expected}, observed {observed}. Tools: {tools}."}

In the words stand `{tool}`, `{field}`, `{expected}`, `{observed}`, `{tools}`, `{signatures}` (each tool with the arguments that it
needs) and `{calls}` (with what they would be here). `"place": "before"` puts them before the result, `"first": "others"` the tool itself behind
the others, `"list": "published"` takes the paper's list, and `"most": 2` cuts it.
"""

import json
import string
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import text_block
from outcome_monitors.recovery.relations import LISTS
from outcome_monitors_study.arms import Arm, Delivery, Detecting

_FIELDS = frozenset({"tool", "field", "expected", "observed", "tools", "signatures", "calls"})
_CHOICES: Mapping[str, Sequence[str]] = {
    "place": ("after", "before"),
    "first": ("itself", "others"),
    "list": LISTS[::-1],
}
"""What a form may choose; the first is taken where it does not."""


class Worded(Detecting):
    """The receipt as a text beside the result."""

    encoder = "note"
    words: ClassVar[str]
    place: ClassVar[str]
    first: ClassVar[str]
    most: ClassVar[int]

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or its text with the words."""
        receipt, violations = self.check(tool, arguments, result)
        if receipt is None:
            return Delivery(result)
        raw = result if isinstance(result, str) else json.dumps(result)
        said = self.words.format_map(self._filled(tool, receipt))
        content = text_block(raw, said) if self.place == "after" else text_block(said, raw)
        return Delivery(content, receipt, violations)

    def _filled(self, tool: str, receipt: Json) -> dict[str, str]:
        found, actions = receipt["violation"], receipt["admissible_recovery_actions"]
        if self.first == "others":
            actions = sorted(actions, key=lambda action: action["tool"] == tool)
        actions = actions[: self.most]
        return {
            "tool": tool,
            "field": found["path"] or "the result",
            "expected": json.dumps(found["expected"], ensure_ascii=False),
            "observed": json.dumps(found["observed"], ensure_ascii=False),
            "tools": ", ".join(action["tool"] for action in actions),
            "signatures": ", ".join(self._signature(action["tool"]) for action in actions),
            "calls": ", ".join(self._call(action) for action in actions),
        }

    def _signature(self, tool: str) -> str:
        return f"{tool}({', '.join(self.bench.inputs.get(tool, {}).get('required', ()))})"

    def _call(self, action: Json) -> str:
        if action["arguments"] is None:
            return self._signature(action["tool"])
        given = (
            f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in action["arguments"].items()
        )
        return f"{action['tool']}({', '.join(given)})"


def arms_of(forms: Any, file: str) -> dict[str, type[Arm]]:
    """Return an arm for each form of a file."""
    if not isinstance(forms, list):
        raise OutcomeMonitorsError(f"{file} is no list of forms")
    made: dict[str, type[Arm]] = {}
    for number, form in enumerate(forms, 1):
        place = f"{file}: form {number}"
        arm = worded(form, place)
        if arm.name in made:
            raise OutcomeMonitorsError(f"{place}: the name {arm.name!r} stands there twice")
        made[arm.name] = arm
    return made


def worded(form: Any, place: str) -> type[Arm]:
    """Return the arm of a form; raise where it is none, naming the place and the field."""

    def wrong(what: str) -> OutcomeMonitorsError:
        return OutcomeMonitorsError(f"{place}: {what}")

    if not isinstance(form, dict) or not isinstance(form.get("name"), str) or not form["name"].strip():
        raise wrong("there is no `name`")
    chosen = {"most": 5, **{name: choices[0] for name, choices in _CHOICES.items()}, **form}
    odd = sorted(form.keys() - {"name", "words", "most", *_CHOICES})
    if odd:
        raise wrong(f"there is no `{odd[0]}` in a form")
    for name, choices in _CHOICES.items():
        if chosen[name] not in choices:
            raise wrong(f"`{name}` is one of {', '.join(choices)}")
    if type(chosen["most"]) is not int or chosen["most"] < 1:
        raise wrong("`most` is no number of tools")
    if not _fits(form.get("words")):
        names = ", ".join(f"{{{name}}}" for name in sorted(_FIELDS))
        raise wrong(f"`words` is no text, or names something else than {names}")
    body = {name: chosen[name] for name in ("name", "words", "place", "first", "most")}
    return type("WordedForm", (Worded,), {**body, "summary": form["words"], "listing": chosen["list"]})


def _fits(words: Any) -> bool:
    """Say whether words are a text that names nothing but what there is."""
    try:
        parts = list(string.Formatter().parse(words if isinstance(words, str) else "{"))
    except ValueError:
        return False
    plain = all(name is None or (name in _FIELDS and not (spec or turned)) for _, name, spec, turned in parts)
    return plain and bool(words.strip())
