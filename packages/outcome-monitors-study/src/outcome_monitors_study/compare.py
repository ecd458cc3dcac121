"""Several studies side by side: the paper's figures 2 and 3. Nothing is pooled: each row is of one study.

Figure 2 has a row for each study, with a fault and without, or one for each stratum where every task is in several of them, as in
tau-bench and AppWorld. Figure 3 has a row for each contrast, those first in which the treatment lists tools and its baseline none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.reports import page, section, table

from .analysis import Analysis, Contrast, analyse, pairs_json
from .arms import arm_class
from .manifest import Study, load
from .statistics import Pairs
from .tables import SCRIPTED, Table, dumbbells, interval, intervals, p_value, paired, points

ADDED, SAME, REMOVED = "tools added", "tools unchanged", "tools removed"
"""What becomes of the list of tools from the baseline to the treatment."""


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """The primary contrast of a study, or of one of its strata."""

    name: str
    tags: tuple[str, ...]
    """`clean`: nothing is injected. `dev`: somebody says that it was looked at while things were made."""
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class StudyComparison:
    """What several studies show, each for itself."""

    rows: Sequence[ComparedPairs]
    """By the share that the baseline completes."""
    contrasts: Sequence[tuple[str, str, Contrast]]
    """What becomes of the list, the study's name, and the contrast."""
    digests: Mapping[str, str]
    """Of each study's manifest."""
    unfinished: Mapping[str, str]
    """Of studies with episodes to come: how many there are."""
    scripted: bool
    """In some of them agents are scripts."""


def compare(folders: Sequence[Path], dev: Sequence[Path] = ()) -> StudyComparison:
    """Analyse studies; raise where one is given twice, or has nothing to show yet."""
    found = [(study, analyse(study)) for study in map(load, folders)]
    digests = {study.folder.resolve().name: str(study.manifest["digest"]) for study, _ in found}
    # By folder: two studies that were frozen alike in the same second have the same digest.
    if len(digests) < len(folders):
        raise OutcomeMonitorsError(
            "a study is named twice, or two folders have one name; each row is of one study"
        )
    empty = [study.folder for study, shown in found if not shown.contrasts]
    if empty:
        raise OutcomeMonitorsError(f"{empty[0]} has no pair of episodes yet; run it first")
    looked_at = {folder.resolve() for folder in dev}
    rows = [row for study, shown in found for row in _rows(study, shown, study.folder.resolve() in looked_at)]
    contrasts = [
        (_list(contrast), shown.about["study"], contrast)
        for _, shown in found
        for contrast in shown.contrasts
    ]
    return StudyComparison(
        rows=sorted(rows, key=lambda row: row.pairs.baseline / row.pairs.count),
        contrasts=sorted(contrasts, key=lambda row: (ADDED, SAME, REMOVED).index(row[0])),
        digests=digests,
        unfinished={
            shown.about["study"]: f"{shown.done} of {shown.planned}"
            for _, shown in found
            if shown.done < shown.planned
        },
        scripted=any(shown.scripted for _, shown in found),
    )


def _rows(study: Study, shown: Analysis, dev: bool) -> Iterator[ComparedPairs]:
    name, primary = shown.about["study"], shown.contrasts[0]
    tags = ("dev",) if dev else ()
    if len({cell.task for cell in study.cells}) < len(study.cells):
        for stratum, pairs in primary.by_stratum.items():
            clean = ("clean",) if study.is_clean(stratum) else ()
            yield ComparedPairs(f"{name}, {stratum}", (*clean, *tags), pairs)
        return
    yield ComparedPairs(name, tags if shown.faulted else ("clean", *tags), primary.pairs)
    if shown.faulted and primary.clean_pairs.count:
        yield ComparedPairs(f"{name}, clean", ("clean", *tags), primary.clean_pairs)


def _list(contrast: Contrast) -> str:
    base, treatment = arm_class(contrast.baseline).lists, arm_class(contrast.treatment).lists
    return SAME if base == treatment else ADDED if treatment else REMOVED


def compare_tables(found: StudyComparison) -> list[Table]:
    """Return both figures as tables, and which studies they are of."""
    studies = [
        (name, digest[:16], found.unfinished.get(name, "all")) for name, digest in found.digests.items()
    ]
    return [
        (
            "Completed, baseline and arm, by baseline rate; rows are not pooled",
            ("study", "", ">base", ">arm", ">points", ">W/L", ">exact p"),
            [
                (
                    row.name,
                    " ".join(row.tags),
                    *paired(row.pairs),
                    p_value(row.pairs.p),
                )
                for row in found.rows
            ],
        ),
        (
            "Contrasts, 95% cluster bootstrap interval (+ or - where it is clear of zero)",
            ("list", "study", "contrast", ">pairs", ">points", ">interval", "", ">p"),
            [
                (
                    how,
                    name,
                    f"{each.treatment} - {each.baseline}",
                    str(each.pairs.count),
                    points(each.bootstrap.estimate),
                    interval(each.bootstrap),
                    "+" if each.bootstrap.low > 0 else "-" if each.bootstrap.high < 0 else "",
                    p_value(each.sign_flip),
                )
                for how, name, each in found.contrasts
            ],
        ),
        ("Studies", ("study", "manifest", ">episodes"), studies),
    ]


def compare_page(found: StudyComparison) -> str:
    """Return a page with both figures and the tables."""
    lead = f"{len(found.digests)} studies, none pooled with another. {SCRIPTED if found.scripted else ''}"
    rows = [(" ".join((row.name, *map(str.upper, row.tags))), row.pairs) for row in found.rows]
    differences = [
        (f"{each.treatment} - {each.baseline} ({name})", each.bootstrap, how)
        for how, name, each in found.contrasts
    ]
    figures = [
        section("Completed, baseline and arm", dumbbells(rows)),
        section("Contrasts, 95% interval", intervals("Treatment minus baseline", differences)),
    ]
    drawn = [section(heading, table(columns, rows)) for heading, columns, rows in compare_tables(found)]
    return page("Studies of outcome monitors compared", lead, *figures, *drawn)


def compare_json(found: StudyComparison) -> dict[str, Json]:
    """Return all rows as JSON."""
    return {
        "format": "outcome-monitors/study-compare",
        "version": 1,
        "studies": dict(found.digests),
        "unfinished": dict(found.unfinished),
        "rows": [{"name": row.name, "tags": list(row.tags), **pairs_json(row.pairs)} for row in found.rows],
        "contrasts": [
            {
                "list": how,
                "study": name,
                "treatment": each.treatment,
                "baseline": each.baseline,
                **pairs_json(each.pairs),
                "bootstrap": each.bootstrap._asdict(),
                "sign_flip_p": each.sign_flip,
            }
            for how, name, each in found.contrasts
        ],
    }
