"""How long a check takes, as a ratio to reading the same bytes with `json.loads`: reported and put on record.

No timing decides a test. `pytest -s tests/net/test_speed.py` shows the ratios beside those on record.
"""

import json
import time
from statistics import median

from outcome_monitors import Monitor, Registry
from tests.net.support import BASELINE, DATA, WRITE, lines

ROUNDS = 40


def best(work) -> float:
    """Return the median over rounds of what a round takes, in seconds of this process."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return median(taken)


def test_ratios(shop, record_property):
    clean = [row for row in lines((DATA / "shop.jsonl").read_bytes()) if not row.get("error")]
    wrong = [row for row in lines((DATA / "wrong.jsonl").read_bytes()) if not row.get("error")]
    found = {}
    for profile in ("paper", "full"):
        monitor = Monitor(Registry.load(shop / f"{profile}.json"))
        for name, rows in (("clean", clean), ("mostly wrong", wrong)):
            texts = [json.dumps(row["result"]) for row in rows]

            def check(rows=rows, monitor=monitor) -> None:
                for row in rows:
                    monitor.check(row["tool"], row["arguments"], row["result"])

            def read(texts=texts) -> None:
                for text in texts:
                    json.loads(text)

            check()
            found[f"check, profile {profile}, {name}"] = round(best(check) / best(read), 2)
    path = BASELINE / "speed.json"
    if WRITE:
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    on_record = json.loads(path.read_text(encoding="utf-8"))
    for name, ratio in found.items():
        record_property(name, ratio)
        print(f"{name}: {ratio} times json.loads (on record {on_record.get(name)})")  # noqa: T201 - the report
    assert all(ratio > 0 for ratio in found.values())
