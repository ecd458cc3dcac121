"""The audit: read from the file that `audit --json` wrote, and told in short."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outcome_monitors.audit.figures import FORMAT, VERSION
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.reports import Markup, Share, element, meter, paragraph, span, table
from outcome_monitors.values.files import FilePath

from .words import left_out, name, note

__all__ = ["read_audit", "told"]

MOST_ROWS = 40
LARGEST_FILE = 64 * 2**20


def read_audit(path: FilePath) -> dict[str, Json]:
    """Read the figures of an audit; raise OutcomeMonitorsError where the file does not hold them."""
    try:
        if Path(path).stat().st_size > LARGEST_FILE:
            raise OutcomeMonitorsError(
                f"{path} is too large to be an audit; name the file that `audit --json` wrote"
            )
        document = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise OutcomeMonitorsError(f"{path} is not JSON; name the file that `audit --json` wrote") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise OutcomeMonitorsError(f"{path} is not an audit; name the file that `audit --json` wrote")
    if document.get("version") != VERSION:
        raise OutcomeMonitorsError(f"{path} is an audit of another version; run `audit --json` again")
    try:
        # Every figure is taken once here, so that a broken file is refused before the page is made.
        list(told(document))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise OutcomeMonitorsError(
            f"{path} is a broken audit ({type(error).__name__}: {error}); run `audit --json` again"
        ) from None
    return document


def told(audit: dict[str, Any]) -> Iterator[Markup]:
    """Say what the contracts flag in vain, and what they catch."""
    clean, tasks = (
        Share(int(found["flagged"]), int(found[whole]))
        for found, whole in ((audit["clean"], "calls"), (audit["clean"]["tasks"], "tasks"))
    )
    settings = audit["settings"]
    yield paragraph(
        f"Contracts were judged on tasks that they were not learned from ({int(settings['folds'])} folds, profile"
        f" {name(settings['profile'])}). Of {clean.whole:,} clean results {clean.part:,} were flagged,"
        f" {_rate(clean)} (95% interval {span(clean.interval)}; budget {float(settings['budget']):.2%}), in {tasks} tasks."
    )
    yield paragraph(element("strong", name(str(audit["advice"]), 600)))
    yield element("h3", "False alarms, by violation")
    yield from _false_alarms(audit["codes"])
    yield element("h3", "Silent faults that were caught")
    yield from _faults(audit["faults"])


def _false_alarms(codes: dict[str, Any]) -> Iterator[Markup]:
    noisy = sorted(
        codes.items(), key=lambda item: (-int(item[1]["clean"]), -int(item[1]["faulted"]), item[0])
    )
    yield table(
        ("violation", ">clean results flagged", ">by it alone", ">corrupted results flagged", ">alone"),
        [
            (
                name(code),
                *(f"{int(found[key]):,}" for key in ("clean", "clean_alone", "faulted", "faulted_alone")),
            )
            for code, found in noisy[:MOST_ROWS]
        ],
        stacked=True,
    )
    yield from note(left_out(min(MOST_ROWS, len(noisy)), len(noisy), "violation code"))


def _faults(faults: list[Any]) -> Iterator[Markup]:
    tried = [fault for fault in faults if int(fault["n"])]
    yield table(
        ("fault", "suite", ">results", "caught"),
        [
            (
                name(fault["fault"]),
                name(fault["suite"]),
                f"{int(fault['n']):,}",
                meter(int(fault["caught"]) / int(fault["n"])),
            )
            for fault in tried[:MOST_ROWS]
        ],
        stacked=True,
    )
    yield from note(left_out(min(MOST_ROWS, len(tried)), len(tried), "fault"))


def _rate(share: Share) -> str:
    return "-" if share.value is None else f"{share.value:.2%}"
