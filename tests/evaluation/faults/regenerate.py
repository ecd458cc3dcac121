"""Writes what is made from the faults: the table in docs/reference/faults.md and one example of each in tests/golden/faults.json.

    PYTHONPATH=src:. python -m tests.evaluation.faults.regenerate

Read the difference before it is kept: the tests compare with these files.
"""

import json

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Fault
from tests.evaluation.faults.examples import SUBJECTS, changes
from tests.places import DOCS, GOLDEN

PAGE = DOCS / "reference" / "faults.md"
FILE = GOLDEN / "faults.json"

START, END = "<!-- the table of faults: begin -->\n", "<!-- the table of faults: end -->\n"


def table() -> str:
    """Return the table of all faults, a section for each suite."""
    lines = []
    for suite, faults in SUITES.items():
        lines += [
            f"### {suite}",
            "",
            "| fault | pattern | what it does | seen by |",
            "|---|---|---|---|",
        ]
        lines += [f"| `{f.name}` | {f.pattern} | {f.summary} | {f.needs} |" for f in faults]
        lines.append("")
    return "\n".join(lines)


def example(fault: Fault) -> dict[str, object]:
    """Return what a fault does to the first of the example calls that it applies to."""
    for subject in SUBJECTS:
        result = fault.apply(subject)
        if result is not NOT_APPLICABLE:
            call = subject.call
            return {"tool": call.tool, "arguments": call.arguments, "changes": changes(call.result, result)}
    raise AssertionError(f"{fault.name} applies to none of the examples")


def main() -> None:
    """Write both."""
    examples = {fault.name: example(fault) for faults in SUITES.values() for fault in faults}
    FILE.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(START)
    PAGE.write_text(head + START + table() + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
