"""Studies, by the name that programs know: all of it is in `outcome-monitors-study`."""

from typing import TYPE_CHECKING, Any

from outcome_monitors.distributions import STUDY, part_of

_study = part_of(STUDY, "", "outcome_monitors.study")
__all__ = list(_study.__all__)
globals().update({name: getattr(_study, name) for name in __all__})

if TYPE_CHECKING:
    # What is there is known where it is installed.
    def __getattr__(name: str) -> Any: ...
