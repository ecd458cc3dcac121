"""The arms of a study, each a small class; a new one is a class and a row here."""

from ._arm import Arm, Bench, Delivery, Detecting
from .acting import AlwaysVerify, HardGuard, ReviewerLoop, SelfCritique
from .advisory import (
    AdvisoryNote,
    AdvisorySafe,
    AdvisoryText,
    AdvisoryV1,
    AdvisoryV2,
    Generic,
    SchemaOnly,
    Stripped,
)
from .warning import AlwaysWarn, AlwaysWarnStripped, MatchedPlacebo

__all__ = ["ARMS", "Arm", "Bench", "Delivery", "Detecting"]

ARMS: dict[str, type[Arm]] = {
    arm.name: arm
    for arm in (
        Arm,
        AdvisoryV1,
        AdvisoryV2,
        AdvisoryNote,
        AdvisorySafe,
        AdvisoryText,
        SchemaOnly,
        Generic,
        Stripped,
        AlwaysWarn,
        AlwaysWarnStripped,
        MatchedPlacebo,
        AlwaysVerify,
        HardGuard,
        SelfCritique,
        ReviewerLoop,
    )
}
