"""Building blocks of self-contained HTML reports: a page, charts, tables, and shares with their uncertainty.

A page is one file without scripts and without anything fetched from elsewhere; it reads in light and in dark, and prints.
Whatever text goes in is escaped on its way: only `markup.element` makes markup.
"""

from .charts import Dots, Estimate, Mark, Series, bars, dots, lines
from .columns import ChartColumn, columns, meter
from .markup import Markup, element
from .page import code, contents, folded, page, paragraph, section, tiles
from .share import Share, percent, span
from .tables import table

__all__ = [
    "ChartColumn",
    "Dots",
    "Estimate",
    "Mark",
    "Markup",
    "Series",
    "Share",
    "bars",
    "code",
    "columns",
    "contents",
    "dots",
    "element",
    "folded",
    "lines",
    "meter",
    "page",
    "paragraph",
    "percent",
    "section",
    "span",
    "table",
    "tiles",
]
