"""What an endpoint says when it does not answer: whether another try can help, and how to tell a person."""

__all__ = ["origins", "refusal", "root", "told"]

REFUSALS = {401: "the key is not accepted", 402: "there is no money left", 403: "it is not allowed"}
"""What no further request will change."""
LONGEST = 400


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
    return f"{type(found).__name__}: {said if len(said) <= LONGEST else '... ' + said[-LONGEST:]}"


def root(error: BaseException) -> BaseException:
    """Return the error of the HTTP answer behind an error, or else what it came of first."""
    chain = origins(error, contexts=False)
    return next((each for each in reversed(chain) if _status(each)), chain[-1])


def origins(error: BaseException, *, contexts: bool = True) -> list[BaseException]:
    """Return an error and all that it came of, named as its cause or, if wanted, not."""
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or (at.__context__ if contexts else None)
    return found


def _status(error: BaseException) -> int:
    """Return the status of an HTTP answer: clients of all providers keep it under one of two names."""
    found = getattr(error, "status_code", None) or getattr(error, "code", None)
    return found if isinstance(found, int) else 0
