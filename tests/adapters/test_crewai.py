"""CrewAI: calls that the model writes in words, and crews that are awaited."""

import pytest

from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, WRONG, get_order, is_receipt, receipt_in, watching

crew = framework("crewai")
ASKS = [("get_order", {"id": id}) for id in (CLEAN, BAD)]


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("native", [False, True])
def test_a_dict_stays_as_python_prints_it(native, later):
    watch, kept = watching()
    read = "\n".join(crew.talk([get_order], ASKS, native=native, later=later, watch=watch).read)
    assert is_receipt(receipt_in(f"{WRONG}\n\n" + read.partition(f"{WRONG}\n\n")[2].partition("\n")[0]))
    assert kept.outcomes == ["clean", "flagged"]
    assert len({event.session for event in kept.events}) == 1
