"""Substitutes that a language model suggests, for a person to review: what it is asked, what of its answers can be used.

No model is called here, and nothing at run time reads these candidates: a person accepts or rejects each one, and only what was
accepted reaches a relation file (`relations build --candidates FILE`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from outcome_monitors.exceptions import RelationError
from outcome_monitors.files import FilePath, read_json, write_atomically
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Json
from outcome_monitors.recovery.relations import Edit, Effect
from outcome_monitors.recovery.tools import Tool

from .signatures import nearest

__all__ = ["ModelAnswers", "ModelQuestion", "Suggestion", "load_reviewed", "questions", "save_candidates"]

VERSION = 1
SHOWN = 15
"""Tools that a model is shown beside the one that it is asked about."""
LONGEST = 400
"""Characters of a description that it is shown."""
_ASKED = """\
A call of the tool below gave a result that cannot be trusted. Which of the other tools could be called in its place, because it \
gives the same information or has the same effect? Most tools have none or one; a tool that is only about the same subject is \
none.

The tool:
{tool}

The other tools:
{others}

Answer with one JSON object and nothing else:
{{"substitutes": [{{"tool": "<name>", "why": "<one sentence>", "arguments": {{"<argument of the tool>": "<argument of the other>"}}}}]}}
"""


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """What a model is asked about one tool."""

    tool: Tool
    others: Mapping[str, Tool]

    @property
    def text(self) -> str:
        """The question, as it is put."""
        return _ASKED.format(tool=_shown(self.tool), others="\n".join(map(_shown, self.others.values())))


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One substitute that a model suggests, and what a person says to it."""

    tool: str
    substitute: str
    why: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    verdict: str = ""
    """`accept` or `reject`, set by a person; nothing until then."""


@dataclass(slots=True)
class ModelAnswers:
    """What of a model's answers can be used, and what not."""

    asked: int = 0
    candidates: list[Suggestion] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """A sentence for each answer, or part of one, that cannot be used."""
    useless: int = 0
    """Answers of which nothing can be used."""

    def add(self, question: ModelQuestion, answer: str) -> None:
        """Take an answer in, as far as it can be used."""
        self.asked += 1
        try:
            listed = _listed(answer)
        except RelationError as error:
            self.useless += 1
            self.refused.append(f"{question.tool.name}: {error}")
            return
        for entry in listed:
            try:
                self.candidates.append(_candidate(question, entry))
            except RelationError as error:
                self.refused.append(f"{question.tool.name}: {error}")


def questions(tools: Sequence[Tool], effects: Mapping[str, Effect] | None = None) -> Iterator[ModelQuestion]:
    """Yield a question for each tool that has others near it; none that must never be listed is among them."""
    for tool, others in nearest(tools, effects, SHOWN):
        if others:
            yield ModelQuestion(tool, {other.name: other for other in others})


def _shown(tool: Tool) -> str:
    told = ", ".join(f"{p.name}{'' if p.required else '?'}: {p.type}" for p in tool.parameters)
    return f"- {tool.name}({told}): {clip_text(' '.join(tool.about.split()), LONGEST)}"


def _listed(answer: str) -> list[Json]:
    """Return the entries of an answer; raise RelationError, saying what is wrong with it, where it has none."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        document: Any = json.loads(answer[start : end + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise RelationError(f"the answer is no JSON object: {clip_text(answer, 80) or 'it is empty'}")
    listed = document.get("substitutes")
    if not isinstance(listed, list):
        raise RelationError("the answer has no list of `substitutes`")
    return listed


def _candidate(question: ModelQuestion, entry: Json) -> Suggestion:
    name, why = (entry.get("tool"), entry.get("why")) if isinstance(entry, dict) else (None, None)
    other = question.others.get(name) if isinstance(name, str) else None
    if other is None:
        raise RelationError(
            f"it names {clip_text(repr(name), 60)}, which is none of the tools that it was shown"
        )
    if not isinstance(why, str) or not why.strip():
        raise RelationError(f"it gives no reason for {name}")
    return Suggestion(
        question.tool.name, other.name, clip_text(why.strip(), 200), _arguments(question.tool, other, entry)
    )


def _arguments(tool: Tool, other: Tool, entry: Mapping[str, Json]) -> dict[str, str]:
    """Return the arguments that both tools have; a model makes some up."""
    said = entry.get("arguments")
    mine, theirs = ({p.name for p in each.parameters} for each in (tool, other))
    pairs = said.items() if isinstance(said, dict) else ()
    return {
        source: target
        for source, target in pairs
        if source in mine and isinstance(target, str) and target in theirs
    }


def save_candidates(path: FilePath, model: str, answers: ModelAnswers) -> None:
    """Write the file that a person reviews."""
    document = {
        "version": VERSION,
        "model": model,
        "candidates": [asdict(candidate) for candidate in answers.candidates],
        "refused": answers.refused,
    }
    write_atomically(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def load_reviewed(path: FilePath) -> list[Edit]:
    """Read what a person decided; raise RelationError, naming the entry, where the file cannot be used."""
    document = read_json(path)
    listed = document.get("candidates") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise RelationError(f"{path} holds no `candidates`; write it with `relations build --model NAME`")
    found = (_edit(entry, f"{path}: candidates[{place}]") for place, entry in enumerate(listed))
    return [edit for edit in found if edit is not None]


def _edit(entry: Json, place: str) -> Edit | None:
    told = entry if isinstance(entry, dict) else {}
    tool, substitute, verdict = told.get("tool"), told.get("substitute"), told.get("verdict") or ""
    if not (isinstance(tool, str) and isinstance(substitute, str)):
        raise RelationError(f"{place} has no `tool` and `substitute`")
    if verdict not in ("", "accept", "reject"):
        raise RelationError(f"{place}: `verdict` is neither accept nor reject")
    arguments = told.get("arguments") or {}
    if not isinstance(arguments, dict) or not all(isinstance(value, str) for value in arguments.values()):
        raise RelationError(f"{place}: `arguments` is not an object of texts")
    if not verdict:
        return None
    return Edit(
        tool, substitute, "add" if verdict == "accept" else "reject", str(told.get("why") or ""), arguments
    )
