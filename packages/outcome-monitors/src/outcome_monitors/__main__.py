"""`python -m outcome_monitors` is the command `outcome-monitors`."""

from .cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
