"""What is read off an object once, and looked up from then on: contracts and clauses hold mappings, and cannot be hashed."""

from collections.abc import Callable
from typing import TypeVar

One = TypeVar("One")
Made = TypeVar("Made")


def once_for_each(most: int) -> Callable[[Callable[[One], Made]], Callable[[One], Made]]:
    """Have a function look at each object once; what it made of so `most` objects is kept, and the objects with it."""

    def decorated(make: Callable[[One], Made]) -> Callable[[One], Made]:
        # While an object is kept, no other has its id.
        known: dict[int, tuple[One, Made]] = {}

        def made(one: One) -> Made:
            found = known.get(id(one))
            if found is None:
                if len(known) >= most:
                    known.clear()
                found = known[id(one)] = one, make(one)
            return found[1]

        return made

    return decorated
