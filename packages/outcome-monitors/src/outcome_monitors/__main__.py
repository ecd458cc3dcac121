"""`python -m outcome_monitors` is the command `outcome-monitors`."""

import gc

__all__ = ["main"]


def main() -> None:
    """Run the command line; never returns."""
    # Enabled again when the command is loaded (`cli.Commands.get_command`): until then there is no garbage to be found.
    gc.disable()
    from .cli import main as run  # noqa: PLC0415 - as just said

    run()


if __name__ == "__main__":
    main()
