"""Building blocks of self-contained HTML reports: a page, charts, tables, and shares with their uncertainty.

A page is one file without scripts and without anything fetched from elsewhere; it reads in light and in dark, and prints.
"""

from .charts import ChartColumn, Dots, Estimate, Mark, Series, bars, columns, dots, lines, meter
from .markup import Markup, element
from .page import code, page, paragraph, section, table, tiles
from .share import Share, percent, span

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
    "dots",
    "element",
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
