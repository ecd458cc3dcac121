"""The demonstration, start to finish."""

import errno
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from outcome_monitors.audit.faults import Corpus, Fault, faults
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.reports import Share
from outcome_monitors.traces.reader import write_traces
from outcome_monitors.values.files import write_atomically
from outcome_monitors_study.world import declared_substitutes, nominal_traces, workflows

from ._cases import choose_cases, choose_to_show
from ._contracts import DemoContracts, learn
from ._judging import flagged
from ._learning import learning_curve
from ._page import draw
from ._runs import Comparison, Ending, play, play_clean
from ._settings import DemoProgress, DemoSettings, in_silence
from .examples import TOLD_FAULTS, Example, choose_examples
from .figures import Figures, as_json, count_caught, count_completed, in_words

__all__ = ["Demonstration", "demonstrate", "run"]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What was made on the way, and the figures that came out."""

    calls: tuple[Call, ...]
    learned: DemoContracts
    figures: Figures


def run(out: Path, settings: DemoSettings, progress: DemoProgress = in_silence) -> Figures:
    """Demonstrate, and write all files to a folder, which is made where there is none."""
    _make_folder(out)
    shown = demonstrate(settings, progress)
    write_traces(out / "traces.jsonl.gz", shown.calls)
    shown.learned.save(out)
    write_atomically(out / "figures.json", json.dumps(as_json(shown.figures), indent=1) + "\n")
    write_atomically(out / "report.html", draw(shown.figures))
    return shown.figures


def _make_folder(out: Path) -> None:
    """Make the folder, or say before any work why nothing can be written there."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise OutcomeMonitorsError(
            f"cannot write to the folder {out}: {error.strerror or error}; choose another with --out"
        ) from None


def demonstrate(settings: DemoSettings, progress: DemoProgress = in_silence) -> Demonstration:
    """Trace clean runs, mine contracts from them, and run the workflows under silent faults."""
    made = list(workflows(settings.workflows, settings.seed))
    calls = tuple(progress(nominal_traces(settings.workflows, settings.seed), "clean call"))
    relations = Relations.declared(declared_substitutes())
    learned = learn(calls, relations, settings, progress)
    corpus, kinds = Corpus.of(calls), faults(settings.suites)
    cases = choose_cases(made, kinds, corpus, relations, settings.runs, settings.seed)
    outcomes = [
        play(case, learned.judge(case.workflow.task_id), corpus) for case in progress(cases, "faulty run")
    ]
    clean = [
        play_clean(workflow, learned.judge(workflow.task_id)) for workflow in progress(made, "clean run")
    ]
    to_show = choose_to_show(made, TOLD_FAULTS, kinds, corpus, relations)
    examples = choose_examples(
        [
            *outcomes,
            *(
                play(case, learned.judge(case.workflow.task_id), corpus)
                for case in progress(to_show, "run to show")
            ),
        ]
    )
    return Demonstration(
        calls, learned, _figures(settings, calls, learned, kinds, outcomes, clean, examples, progress)
    )


def _figures(
    settings: DemoSettings,
    calls: Sequence[Call],
    learned: DemoContracts,
    kinds: Sequence[Fault],
    outcomes: Sequence[Comparison],
    clean: Sequence[tuple[Ending, Ending]],
    examples: tuple[Example, ...],
    progress: DemoProgress,
) -> Figures:
    clauses = [clause for contract in learned.whole.contracts.values() for clause in contract.clauses]
    in_vain = list(flagged(calls, learned.judge))
    struck = Share(len({call.task for call in in_vain}), len(learned.folds))
    with_a_place = {outcome.case.fault.name for outcome in outcomes}
    return Figures(
        settings=settings,
        calls=len(calls),
        tools=len({call.tool for call in calls}),
        contracts=len(learned.whole.contracts),
        clauses=len(clauses),
        kinds=len({clause.kind for clause in clauses}),
        contract=in_words(learned, examples, calls),
        examples=examples,
        faults=tuple(count_caught(kinds, outcomes)),
        without_place=tuple(fault.name for fault in kinds if fault.name not in with_a_place),
        caught=Share(sum(outcome.caught for outcome in outcomes), len(outcomes)),
        flagged_results=Share(len(in_vain), len(calls)),
        flagged_workflows=struck,
        flagged_interval=struck.interval,
        completed=tuple(count_completed(outcomes, clean)),
        learning=tuple(learning_curve(calls, outcomes, learned, settings, progress)),
    )
