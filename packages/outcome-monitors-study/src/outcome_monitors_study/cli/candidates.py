"""`relations build --model`: a language model is asked for candidates, through the providers of studies."""

from collections.abc import Sequence

from outcome_monitors.cli._output import count, printable, progress, write
from outcome_monitors.exceptions import RelationError
from outcome_monitors.recovery.mining import Tool
from outcome_monitors.recovery.mining.candidates import ModelAnswers, questions, save_candidates
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study.models import answers

FEW = 3
"""Refused answers that are shown; all are in the file."""


def ask_model(model: str, path: str, tools: Sequence[Tool], built: Relations) -> None:
    """Ask a model which tools could stand in, and write what it says for a person to review."""
    asked = list(questions(tools, built.effects))
    found = ModelAnswers()
    shown = progress(answers(model, [question.text for question in asked]), "answer")
    for question, answer in zip(asked, shown, strict=True):
        found.add(question, answer)
    save_candidates(path, model, found)
    write(
        printable(f"{path}: {count(len(found.candidates), 'candidate')} from {model}, for you to review")
        + "\n"
    )
    if found.refused:
        write(
            f"{count(len(found.refused), 'suggestion')} refused, {found.useless:,} of {found.asked:,} answers among them:\n"
        )
        write("".join(printable(f"  {reason}") + "\n" for reason in found.refused[:FEW]))
    if found.asked and found.useless == found.asked:
        raise RelationError(
            f"{model} gave no answer that could be used, {found.asked:,} of {found.asked:,} were refused; try another model"
        )
