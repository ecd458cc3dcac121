"""Files of lines are read in several processes: one cuts them into pieces, the others read those, each by itself.

What a piece says is taken in the order of the pieces, so readers are told the same, in the same order, as if one process had read all.
A piece may end where what it says depends on what follows: in a document of several lines, or in a line that is broken. Such an end, and
what was dealt out after it, is read here. So is what is no text, and lines that are too long to be sent.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from . import inspect
from ._entries import Entry, is_text, of_stream, seen
from ._inputs import Input, opened
from ._payload import AS_THEY_ARE
from ._pieces import LinesFile, LinesPiece, PieceSeen, look_at, source_of
from ._sources import AUTO, SAMPLE_SIZE, recognised
from ._team import Team

__all__ = ["entries_by"]


def entries_by(workers: int, inputs: Iterable[Input], source: str) -> Iterator[Entry]:
    """Yield what stands in files, read by so many processes; payloads are made ready to be written."""
    with Team(look_at, workers) as team:
        yield from _Dealer(team).entries(inputs, source)


@dataclass(slots=True)
class _Dealt:
    file: LinesFile
    piece: LinesPiece
    is_void: bool = False
    """It was taken back, and what is made of it is not wanted."""


class _Dealer:
    def __init__(self, team: Team[LinesPiece, PieceSeen]) -> None:
        self._team = team
        self._dealt: deque[_Dealt] = deque()

    def entries(self, inputs: Iterable[Input], source: str) -> Iterator[Entry]:
        for step in _steps(inputs, source):
            if isinstance(step, _Dealt):
                self._team.put(step.piece)
                self._dealt.append(step)
                while self._team.is_full:
                    yield from self._taken()
            else:
                yield from self._rest()
                yield from step
        yield from self._rest()

    def _rest(self) -> Iterator[Entry]:
        while self._dealt:
            yield from self._taken()

    def _taken(self) -> Iterator[Entry]:
        """Yield what the first piece that was dealt out says, and what must be read with it."""
        dealt, made = self._dealt.popleft(), self._team.take()
        if dealt.is_void:
            return
        yield from made.entries
        file = dealt.file
        if made.closed:
            file.close()
            self._take_back(file)
        elif made.left:
            data = dealt.piece.data[-made.left :] + self._take_back(file)
            file.give_back(data, made.lines)
            yield from seen(file.items(len(data)), file.name, file.source, AS_THEY_ARE)

    def _take_back(self, file: LinesFile) -> bytes:
        later = [dealt for dealt in self._dealt if dealt.file is file and not dealt.is_void]
        for dealt in later:
            dealt.is_void = True
        return b"".join(dealt.piece.data for dealt in later)


def _steps(inputs: Iterable[Input], source: str) -> Iterator[_Dealt | Iterator[Entry]]:
    """Yield pieces to be dealt out, and what is to be read here before the next step is asked for."""
    for item in inputs:
        with opened(item.path, inspect.MAGIC) as (stream, is_archive):
            if is_text(stream, is_archive, item.name):
                yield from _of_lines(LinesFile(stream, item.name), source)
            else:
                yield of_stream(stream, is_archive, item.name, source)


def _of_lines(file: LinesFile, source: str) -> Iterator[_Dealt | Iterator[Entry]]:
    file.source = source
    if source == AUTO:
        first = _first(file)
        if first is not None and first.last:
            yield _Dealt(file, first)
            return
        if file.source == AUTO:
            yield _read_here(file)
            return
    while not file.is_done:
        piece = file.cut()
        if piece is not None:
            yield _Dealt(file, piece)
        elif not file.is_done:
            yield seen(file.items(1), file.name, file.source, AS_THEY_ARE)
    yield file.trouble()


def _first(file: LinesFile) -> LinesPiece | None:
    """Find out what a file is, and say so in it; return one that is small whole, as it says that itself."""
    pieces: list[LinesPiece] = []
    size = enough = 0
    while size < 2 * SAMPLE_SIZE and not file.is_done and (piece := file.cut()) is not None:
        pieces.append(piece)
        size += len(piece.data)
        if size >= enough and (found := source_of(pieces)) is not None:
            file.source = found
            break
        enough = SAMPLE_SIZE
    data = b"".join(piece.data for piece in pieces)
    if pieces and pieces[-1].last and file.source == AUTO:
        return LinesPiece(file.name, 0, data, last=True, source=AUTO)
    file.give_back(data, 0)
    return None


def _read_here(file: LinesFile) -> Iterator[Entry]:
    """Yield what a file says whose beginning does not tell what it is."""
    source, items, _ = recognised(file.items(), file.name)
    yield from seen(items, file.name, source, AS_THEY_ARE)
