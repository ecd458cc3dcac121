"""`python -m tests.fuzz --inputs N --wire N`: every law on so many inputs, and a table of what came of it."""

import argparse
import logging
import sys
import time
from collections.abc import Iterable

from tests.fuzz.laws import STRUCTURE, WIRE, Law


def tried(law: Law, inputs: int, first: int) -> tuple[int, list[str]]:
    """Try a law on its share of the inputs; return on how many, and what fails, each with its seed."""
    done, failed, seed = 0, [], first
    while done < inputs * law.share:
        try:
            done += law.holds(seed)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and the next seed is tried
            failed.append(f"{law.holds.__name__}({seed}): {error!r:.300}")
            done += 1
        seed += 1
    return done, failed


def report(laws: Iterable[Law], inputs: int, first: int) -> bool:
    """Try laws, and print what came of it; say whether all hold."""
    holds = True
    for law in laws if inputs else ():
        begun = time.monotonic()
        done, failed = tried(law, inputs, first)
        holds = holds and not failed
        sys.stdout.write(
            f"{done:>9,}  {len(failed):>3} failed  {time.monotonic() - begun:>6,.0f} s  {law.says}\n"
        )
        for each in failed[:5]:
            sys.stdout.write(f"           {each}\n")
        sys.stdout.flush()
    return holds


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000, help="results, traces and states to try")
    parser.add_argument("--wire", type=int, default=10_000, help="lines, events and bodies to try")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    # What is logged of odd inputs is not what this is about.
    logging.disable()
    held = report(STRUCTURE, options.inputs, options.first)
    sys.exit(0 if report(WIRE, options.wire, options.first) and held else 1)


if __name__ == "__main__":
    main()
