"""A share, as an option takes it."""

import math
from typing import Any

import click

__all__ = ["SHARE", "SOME"]


class _Share(click.FloatRange):
    """A number from 0 to 1; NaN, which is in any range as click sees it, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        share = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(f"{value!r} is not in the range 0<=x<=1.", param, ctx)
        return share


SHARE = _Share(0, 1)
SOME = _Share(0, 1, min_open=True)
"""A share that is not nothing."""
