"""What an endpoint says when it does not answer: whether another try can help, and how to tell a person."""

from collections.abc import Iterator

__all__ = ["origins", "refusal", "root", "told"]

REFUSALS = {401: "the key is not accepted", 402: "there is no money left", 403: "it is not allowed"}
"""What no further request will change."""
MOST_SIGNS = 400


def refusal(error: BaseException) -> str | None:
    """Say why an endpoint will refuse every other request too; None where it may not."""
    found = root(error)
    reason = REFUSALS.get(_status(found))
    return None if reason is None else f"{_status(found)}, {reason}: {told(found)}"


def told(error: BaseException) -> str:
    """Return what an error came of, in one line: what it was wrapped in may hold the whole request."""
    found = root(error)
    said = " ".join(str(found).split())
    # Where an error quotes a whole request, the reason stands at its end.
    return f"{type(found).__name__}: {said if len(said) <= MOST_SIGNS else '... ' + said[-MOST_SIGNS:]}"


def root(error: BaseException) -> BaseException:
    """Return the error of the HTTP answer behind an error, or else what it came of first."""
    chain = list(_chain(error))
    return next((each for each in reversed(chain) if _status(each)), chain[-1])


def origins(error: BaseException) -> list[BaseException]:
    """Return an error and all that it came of, named or not."""
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or at.__context__
    return found


def _status(error: BaseException) -> int:
    """Return the status of an HTTP answer: clients of all providers keep it under one of two names."""
    found = getattr(error, "status_code", None) or getattr(error, "code", None)
    return found if isinstance(found, int) else 0


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what it came of."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__
