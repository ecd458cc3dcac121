"""Who may write events over HTTP: a token each, from a file or from the environment, and the labels that its events bear."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.proxy.request_guard import LEAST_TOKEN
from outcome_monitors.state.labels import NO_LABELS, Labels
from outcome_monitors.values.files import read_text

__all__ = ["WRITER", "EventWriter", "event_writers"]

WRITER = "OUTCOME_MONITORS_WRITER_TOKEN"
"""Holds the token of a writer whose events bear the labels that they claim."""
LARGEST_FILE = 2**20


class EventWriter(NamedTuple):
    """One who may write events, and nothing else."""

    token: str
    labels: Labels = NO_LABELS
    """What its events bear whatever they claim; what is empty is as they claim."""

    def __repr__(self) -> str:
        return f"EventWriter(labels={self.labels!r})"


def event_writers(file: Path | None, environment: Mapping[str, str]) -> list[EventWriter]:
    """Return the writers that a file names, one a line, and the one of the environment; no error shows a token."""
    found = [] if file is None else [*_in_file(file)]
    token = environment.get(WRITER, "")
    if token:
        found.append(_writer(token, NO_LABELS, WRITER))
    return found


def _in_file(file: Path) -> list[EventWriter]:
    text = read_text(file, LARGEST_FILE, "file of writers")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            token, *labels = re.split(r"\s+", line.strip(), maxsplit=1)
            where = f"{file}:{number}"
            found.append(_writer(token, _labels(labels[0] if labels else "", where), where))
    return found


def _labels(text: str, where: str) -> Labels:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))
    except ValueError:
        pairs = [("", "")]
    if any(name not in Labels._fields or not value for name, value in pairs):
        raise OutcomeMonitorsError(
            f"{where}: behind a token stand labels as an address has them, as in service=orders&environment=live"
        )
    return Labels.named(pairs)


def _writer(token: str, labels: Labels, where: str) -> EventWriter:
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable():
        raise OutcomeMonitorsError(
            f"{where}: a token has at least {LEAST_TOKEN} characters, for example of: openssl rand -hex 16"
        )
    return EventWriter(token, labels)
