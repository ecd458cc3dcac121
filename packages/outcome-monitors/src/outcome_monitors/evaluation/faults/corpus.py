"""Clean knowledge of a set of traces: what a fault needs in order to be believable."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Self

from outcome_monitors.model import Call, Json

from .facts import Companions, Entities, Ids, Values
from .places import canonical, walk
from .regularities import FieldPresence, Orders, Sorting, Sums
from .vocabulary import text_slot

__all__ = ["Corpus"]

# Of each tool so many different calls are kept whole, of each question so many different answers.
MOST_CALLS = 40
MOST_ANSWERS = 3
MOST_QUESTIONS = 50_000

_Question = tuple[str, str]


class Corpus:
    """What clean calls have in common; built once by `Corpus.of`, then only asked."""

    def __init__(self) -> None:
        self.presence = FieldPresence()
        self.orders = Orders()
        self.sorting = Sorting()
        self.sums = Sums()
        self.ids = Ids()
        self.entities = Entities()
        self.values = Values()
        self.companions = Companions()
        self.texts: dict[str, str] = {}
        """A text of each tool that gives one."""
        self._calls: dict[str, list[Call]] = {}
        self._answers: dict[_Question, list[Json]] = {}
        self._again: set[_Question] = set()

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Self:
        """Learn from calls; those that failed openly are passed over."""
        corpus = cls()
        seen: set[bytes] = set()
        for call in calls:
            asked, answer = canonical(dict(call.arguments)), canonical(call.result)
            if call.error or asked is None or answer is None:
                continue
            corpus._note(call, (call.tool, asked))
            said = f"{call.tool}\0{asked}\0{answer}".encode("utf-8", "surrogatepass")
            # The same call with the same result says nothing new of what results look like.
            if (known := blake2b(said, digest_size=8).digest()) not in seen:
                seen.add(known)
                corpus._learn(call)
        return corpus

    def _note(self, call: Call, question: _Question) -> None:
        answers = self._answers.get(question)
        if answers is None:
            if len(self._answers) < MOST_QUESTIONS:
                self._answers[question] = [call.result]
            calls = self._calls.setdefault(call.tool, [])
            if len(calls) < MOST_CALLS:
                calls.append(call)
            return
        self._again.add(question)
        if len(answers) <= MOST_ANSWERS and call.result not in answers:
            answers.append(call.result)

    def _learn(self, call: Call) -> None:
        nodes = walk(call.result)
        for by_tool in (self.presence, self.orders, self.sorting, self.sums, self.entities, self.values):
            by_tool.learn(call.tool, nodes)
        for anywhere in (self.companions, self.ids):
            anywhere.learn(nodes)
        if call.tool not in self.texts:
            slot = text_slot(nodes, ())
            if slot is not None and slot.value:
                self.texts[call.tool] = slot.value
        self.ids.learn(walk(dict(call.arguments)))

    @property
    def tools(self) -> Sequence[str]:
        """The tools that were seen, in the order met."""
        return tuple(self._calls)

    def calls(self, tool: str) -> Sequence[Call]:
        """Return calls of a tool, each with other arguments, in the order met."""
        return self._calls.get(tool, ())

    def answers(self, tool: str, arguments: Mapping[str, Json]) -> Sequence[Json]:
        """Return the answers to a question asked more than once; nothing where they are too many."""
        question = (tool, canonical(dict(arguments)) or "")
        answers = self._answers.get(question, ())
        return answers if question in self._again and len(answers) <= MOST_ANSWERS else ()
