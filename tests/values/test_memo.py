from outcome_monitors.values.memo import once_for_each


def test_each_object_is_looked_at_once():
    looked: list[dict[str, int]] = []

    @once_for_each(10)
    def total(one: dict[str, int]) -> int:
        looked.append(one)
        return sum(one.values())

    first, equal = {"a": 1}, {"a": 1}
    assert [total(first), total(equal), total(first)] == [1, 1, 1]
    assert len(looked) == 2


def test_no_more_is_kept_than_was_said():
    looked: list[int] = []

    @once_for_each(2)
    def first(one: list[int]) -> int:
        looked.append(one[0])
        return one[0]

    lists = [[number] for number in range(3)]
    assert [first(one) for one in (*lists, lists[2], lists[0])] == [0, 1, 2, 2, 0]
    assert looked == [0, 1, 2, 0]
