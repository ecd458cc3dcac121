"""What it takes for a kind to suggest a clause, in one place.

Most were set by hand on recorded traffic and no experiment has varied them; where one has, its text says so. Thresholds of the false-alarm
budget and of validation stand in `mining.config`, the sizes of samples in `rules.evidence`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesConfig:
    """Each threshold. Counts of tasks are of distinct tasks, shares are of records."""

    # Of several kinds.
    min_tasks: int = 3
    """Tasks behind a clause, where nothing below asks for more."""
    min_values: int = 3
    """Distinct values behind a relation: that a constant agrees with a constant shows nothing."""
    min_values_of_ends: int = 8
    """The same of a first or last row, and of parts of a thing: that rows come in an order is seldom anyone's promise."""
    label_noise: float = 0.01
    """The share of records that may break a relation: traces have label noise."""
    label_noise_tasks: int = 20
    """With this many tasks, what a single one brought is taken for label noise rather than for a rare value."""
    identity_share: float = 0.8
    """An identity that tells apart this share of what the finest one does names the thing itself, not what it belongs to."""
    moving_share: float = 0.8
    """Of the keys that were read again, the share with another time: above it, the time is that of the reading."""
    max_key_length: int = 80
    """Characters of a text that stands for a thing (`functional_dependency`, `required_members`)."""

    # What texts look like (`base.texts`).
    min_tasks_of_forms: int = 20
    """Tasks that it takes to show that texts have few forms."""
    texts_per_phrase_form: int = 20
    """Of texts of several words, so many stand behind each form."""
    max_phrase_length: int = 160
    max_phrase_words: int = 6
    """A longer text is a sentence at least."""
    prose_share: float = 0.2
    """The share of texts that are prose, or of several words, for all of them to be taken so."""

    # Values.
    type_repeated: int = 3
    """Distinct values of an argument that come back, for its field to be null where it was left out."""
    required_absent: float = 0.02
    """The share of clean results that a required field may be absent from."""
    required_tasks: int = 2
    required_tasks_among_optional: int = 6
    """Where other fields of the same object come and go, a few tasks do not show that this one stays."""
    closed_fields_max: int = 512
    """An object with more fields than this has data for keys."""
    domain_tasks_per_value: int = 5
    domain_listed: int = 200
    domain_length: int = 120
    """A longer text is no category."""
    range_tasks: int = 10
    """Also of `length`."""
    range_tasks_vast: int = 4
    """The same where the widest room is left."""
    range_rooms: Mapping[str, float] = field(
        default_factory=lambda: {"narrow": 0.5, "wide": 2.0, "widest": 9.0, "vast": 99.0}
    )
    """How far beyond the extremes a number or a length may be, in spans between them; the narrowest that raises no alarms is taken."""
    range_values: int = 2
    range_noisy_tasks: int = 2
    """Tasks whose extremes may be taken for label noise."""
    length_spare: Mapping[str, int] = field(default_factory=lambda: {"text": 8, "list": 1})
    """How much longer than the bound a text, in characters, or a list, in items, may always be."""
    non_empty_list_tasks: int = 10
    """That nothing was found is often the answer."""
    non_empty_remark_tasks: int = 20
    """Of a description, a note, a difference, which are often left empty."""
    form_tasks: int = 10
    form_tasks_per_form: int = 5
    form_max: int = 40
    form_length: int = 160
    """A longer text has no form."""
    time_room: timedelta = field(default=timedelta(days=20 * 365))
    """A time may be at least so far outside of those that were recorded; more where they lie farther apart."""
    time_lifetime: timedelta = field(default=timedelta(days=80 * 365))
    """The same where a few tasks show times that lie years apart, such as births: the next one may be a lifetime away."""
    time_years_apart: timedelta = field(default=timedelta(days=5 * 365))
    asked_length: int = 300
    """Characters of what is asked for, whose marks are the caller's own; a longer argument is content."""
    refusal_length: int = 400
    """Characters of an answer that says no more than that it refuses an argument."""
    refusal_fields: int = 8
    """The same in fields."""
    anomalous_text_fired: float = 0.005
    """The share of clean answers that are texts which may have marks, of tools without a contract."""

    # Relations.
    argument_noise: float = 0.02
    """The share of pairs that may disagree."""
    argument_text: int = 3
    """A shorter text is in any other by chance."""
    before_tasks: int = 4
    before_tasks_apart: int = 20
    """Of two whose names do not say that they can be compared."""
    before_pairs: int = 5
    before_pairs_by_name: int = 3
    """Where the names say it: a start and an end."""
    before_surprise: float = 4.0
    """So many pairs that would have been out of order by chance."""
    before_surprise_of_one_noun: float = 1.0
    """So many tasks, where the names say that the two may be compared."""
    before_features: int = 16
    before_shuffled: int = 40
    """About so many pairs are shuffled, each with each."""
    conditional_tasks: int = 4
    """Behind each value of the category."""
    conditional_surprise: float = 4.0
    """So many tasks that would have shown another state by chance."""
    conditional_values: int = 8
    conditional_stray: float = 0.02
    """The share of records whose category may be a value that one task alone showed."""
    conditional_categories: int = 16
    contains_id_ids: int = 2
    contains_id_tasks: int = 2
    """That an id of five digits stands in a text is no accident."""
    contains_id_digits: int = 4
    contains_id_length: int = 6
    """Characters of an id that has letters: a shorter one is in any text by chance."""
    contains_id_max_length: int = 64
    contains_id_max_ids: int = 8
    contains_id_max_links: int = 32
    """Columns of one table that are compared."""
    dependency_keys: int = 3
    """Identities that more than one task showed."""
    dependency_surprise: float = 5.0
    """So many pairs that would not have agreed by chance."""
    dependency_records: int = 3
    """Fewer cannot agree so often: a record names two of its tasks."""
    dependency_pairs: int = 1000
    dependency_one_odd_in: int = 50
    """Of so many keys, one may come with more than one value."""
    dependency_calls_per_question: int = 5
    """Calls behind each answer, on the average, for the number of its rows to be no accident of the day."""
    linear_distinct: int = 4
    linear_made: int = 8
    """Points of a line that is not that of equals, and of a sum or a product: a few agree by chance, there are so many to try."""
    linear_digits: int = 10
    """With fewer points, digits that what is made shows: 452.5 is hit by chance far less often than 5."""
    linear_digits_each: int = 3
    linear_equal: int = 3
    """Distinct numbers of two features that are always equal, and of what a sum or a product gives."""
    linear_features: int = 14
    linear_tolerance: float = 1e-4
    """Of the number, taken as 1 at least and 10 at most; money is kept to the cent."""
    linear_rounded: float = 0.1
    """What was given to a place at least is nearer than this to what it was rounded from."""
    members_surprise: int = 3
    """How often a task could have shown otherwise, over all keys of `required_members`."""
    members_keys: int = 500
    rows_tasks: int = 4
    rows_lists: int = 6
    rows_lists_of_objects: int = 4
    """Where no two objects are the same: each list shows it many times."""
    rows_fields: int = 3
    """Objects with so many fields, one of which names them, are not there twice: one list says it."""
    template_patterns: int = 6
    template_length: int = 200

    # Objects of one shape, which tools without traces have too (`mining.shapes`).
    shape_tools: int = 5
    """Fewer tools say nothing about others."""
    anything_tools: int = 20
    """It takes so many to speak of values, or of objects whatever their shape."""

    # How much a violation says (`base.severity`).
    severity_few_tasks: int = 5
    """What fewer tasks have shown may well be otherwise in the next."""
    severity_many_tasks: int = 20
    severity_tasks_each: int = 10
    """So many tasks, in all and for each that was seen, and one more is a surprise."""
    severity_longer: float = 1.5
    severity_more_letters: int = 4
    """How much longer than the others a text of their look may be."""
    severity_near: float = 1.0
    severity_far: float = 10.0
    """In spans between the bounds: a number not farther beyond them is one more, one farther is nothing like the others."""
    severity_few_fields: int = 2
    """An object that has no more fields than this, and lacks one, is hardly what it was."""

    # Sessions.
    session_calls: int = 3
    distinct_whole_answers: int = 10
    """Calls whose answers as a whole were never the same: of a few, that is an accident."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperConfig:
    """The thresholds of profile `paper`, as published."""

    affine_samples: int = 4
    affine_distinct: int = 3
    domain_samples: int = 4
    domain_values: int = 8
    echo_pairs: int = 2
    order_samples: int = 2
    positive_samples: int = 3


CONFIG = RulesConfig()
PAPER = PaperConfig()
