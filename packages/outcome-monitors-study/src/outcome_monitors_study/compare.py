"""Several studies side by side: the paper's figures 2 and 3. Nothing is pooled: each row is of one study.

Figure 2 has a row for each study, with a fault and without, or one for each stratum where every task is in several of them, as in
tau-bench and AppWorld. Figure 3 has a row for each contrast, those first in which the treatment lists tools and its baseline none.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.reports import page, section

from .analysis import Analysis, Contrast, Effect, analyse
from .arms import arm_class
from .manifest import Study, load
from .study_tables import PAIRED, dumbbells, intervals, paired, prevalence
from .tables import SCRIPTED, Table

ADDED, SAME, REMOVED = "tools added", "tools unchanged", "tools removed"
"""What becomes of the list of tools from the baseline to the treatment."""


class ComparedPairs(NamedTuple):
    """The primary contrast of a study, or of one of its strata."""

    name: str
    tags: tuple[str, ...]
    """`clean`: nothing is injected; and the status of a study that is not as it was frozen."""
    effect: Effect


class StudyComparison(NamedTuple):
    """What several studies show, each for itself."""

    rows: Sequence[ComparedPairs]
    """By the share that the baseline completes."""
    contrasts: Sequence[tuple[str, str, Contrast]]
    """What becomes of the list, the study's name, and the contrast."""
    bounds: Mapping[str, tuple[Effect | None, Effect | None]]
    """Each primary effect with a fault, with each without one."""
    studies: Sequence[tuple[str, str, str, str]]
    """Name, status, digest of the manifest, and how many episodes there are."""
    scripted: bool
    """In some of them agents are scripts."""


def compare(folders: Sequence[Path]) -> StudyComparison:
    """Analyse studies; raise where one is given twice, or has nothing to show yet."""
    found = [(study, analyse(study)) for study in map(load, folders)]
    # By folder: two studies that were frozen alike in the same second have the same digest.
    if len({shown.about["study"] for _, shown in found}) < len(folders):
        raise OutcomeMonitorsError(
            "a study is named twice, or two folders have one name; each row is of one study"
        )
    empty = [study.folder for study, shown in found if not shown.contrasts]
    if empty:
        raise OutcomeMonitorsError(f"{empty[0]} has no pair of episodes yet; run it first")
    firsts = [(shown.about["study"], shown.contrasts[0]) for _, shown in found]
    contrasts = [
        (_list(contrast), shown.about["study"], contrast)
        for _, shown in found
        for contrast in shown.contrasts
    ]
    return StudyComparison(
        rows=sorted(
            (row for study, shown in found for row in _rows(study, shown)),
            key=lambda row: row.effect.pairs.baseline / row.effect.pairs.count,
        ),
        contrasts=sorted(contrasts, key=lambda row: (ADDED, SAME, REMOVED).index(row[0])),
        bounds={
            f"{one}, {other}": (first.faulted, second.clean)
            for one, first in firsts
            for other, second in firsts
            if first.faulted and second.clean
        },
        studies=[
            (shown.about["study"], study.status, study.manifest["digest"], f"{shown.done} of {shown.planned}")
            for study, shown in found
        ],
        scripted=any(shown.scripted for _, shown in found),
    )


def _rows(study: Study, shown: Analysis) -> Iterator[ComparedPairs]:
    name, primary = shown.about["study"], shown.contrasts[0]
    tags = () if study.status == "frozen" else (study.status,)
    if len({cell.task for cell in study.cells}) < len(study.cells):
        for stratum, effect in primary.by_stratum.items():
            clean = ("clean",) if study.is_clean(stratum) else ()
            yield ComparedPairs(f"{name}, {stratum}", (*clean, *tags), effect)
        return
    yield ComparedPairs(name, tags if shown.faulted else ("clean", *tags), primary.whole)
    if shown.faulted and primary.clean:
        yield ComparedPairs(f"{name}, clean", ("clean", *tags), primary.clean)


def _list(contrast: Contrast) -> str:
    base, treatment = arm_class(contrast.baseline).lists, arm_class(contrast.treatment).lists
    return SAME if base == treatment else ADDED if treatment else REMOVED


def compare_tables(found: StudyComparison) -> list[Table]:
    """Return both figures as tables, the bound by prevalence, and which studies they are of."""
    made = [
        Table(
            "rows",
            "Completed, baseline and arm, by baseline rate; rows are not pooled",
            {"study": "text", "": "text", **PAIRED, "95% interval": "interval", "p": "p"},
            [
                (
                    row.name,
                    " ".join(row.tags),
                    *paired(row.effect),
                    row.effect.bootstrap[1:3],
                    row.effect.sign_flip,
                )
                for row in found.rows
            ],
        ),
        Table(
            "contrasts",
            "Contrasts, 95% cluster bootstrap interval (+ or - where it is clear of zero)",
            {
                "list": "text",
                "study": "text",
                "contrast": "text",
                "pairs": "count",
                "points": "points",
                "interval": "interval",
                "": "text",
                "p": "p",
            },
            [
                (
                    *(how, name, f"{each.treatment} - {each.baseline}", each.pairs.count),
                    *(each.whole.bootstrap.estimate, each.whole.bootstrap[1:3]),
                    "+" if each.whole.bootstrap.low > 0 else "-" if each.whole.bootstrap.high < 0 else "",
                    each.whole.sign_flip,
                )
                for how, name, each in found.contrasts
            ],
        ),
        prevalence(found.bounds),
        Table(
            "studies",
            "Studies",
            {"study": "text", "status": "text", "manifest": "text", "episodes": "number"},
            [(name, status, digest[:16], done) for name, status, digest, done in found.studies],
        ),
    ]
    return [table for table in made if table.rows]


def compare_page(found: StudyComparison) -> str:
    """Return a page with both figures and the tables."""
    lead = f"{len(found.studies)} studies, none pooled with another. {SCRIPTED if found.scripted else ''}"
    rows = [(" ".join((row.name, *map(str.upper, row.tags))), row.effect) for row in found.rows]
    differences = [
        (f"{each.treatment} - {each.baseline} ({name})", each.whole.bootstrap, how)
        for how, name, each in found.contrasts
    ]
    figures = [
        section("Completed, baseline and arm", dumbbells(rows)),
        section("Contrasts, 95% interval", intervals("Treatment minus baseline", differences)),
    ]
    return page(
        "Studies of outcome monitors compared",
        lead,
        *figures,
        *(each.section for each in compare_tables(found)),
    )
