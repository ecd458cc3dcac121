"""`python -m outcome_monitors` is the command `outcome-monitors`."""

import gc
import sys


def main() -> None:
    """Run the command line; never returns."""
    words = sys.argv[1:]
    if words[:1] == ["hook"] and len(words) <= 2 and not "".join(words[1:]).startswith("-"):
        # An agent waits for it after each call: without the rest of the command line, and without looking for garbage.
        gc.disable()
        from .hook import main as hook  # noqa: PLC0415

        sys.exit(hook(*words[1:]))
    from .cli import main as commands  # noqa: PLC0415

    commands()


if __name__ == "__main__":
    main()
