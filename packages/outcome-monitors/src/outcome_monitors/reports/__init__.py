"""Building blocks of self-contained HTML reports: a page, charts, tables, and shares with their uncertainty.

A page is one file without scripts and without anything fetched from elsewhere; it reads in light and in dark, and prints.
"""

from .charts import ChartColumn, Dots, Estimate, columns, dots, meter
from .markup import Markup, element
from .page import page, paragraph, section, table
from .share import Share, count, percent, ranked, span

__all__ = [
    "ChartColumn",
    "Dots",
    "Estimate",
    "Markup",
    "Share",
    "columns",
    "count",
    "dots",
    "element",
    "meter",
    "page",
    "paragraph",
    "percent",
    "ranked",
    "section",
    "span",
    "table",
]
