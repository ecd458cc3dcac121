"""Homes, devices, sensors and routines."""

import random

from outcome_monitors_study.world.data import vocabulary
from outcome_monitors_study.world.draws import CITIES, generator, numbered
from outcome_monitors_study.world.state import Record, State, Tables

__all__ = ["QUANTITIES", "consumption", "reading", "tables"]

_WORDS = vocabulary("devices")
QUANTITIES = _WORDS["quantities"]
"""Of each quantity the unit, the lowest value and the width."""


def tables(seed: int) -> Tables:
    """Make the tables of homes and what is in them."""
    rng = generator(seed, "devices")
    homes = {
        key: {
            "city": rng.choice(CITIES).name,
            "rooms": sorted(rng.sample(_WORDS["rooms"], rng.randint(3, 5))),
        }
        for key in numbered(rng, "HOM", 24, 100)
    }
    devices: dict[str, Record] = {}
    sensors: dict[str, Record] = {}
    device_ids, sensor_ids = numbered(rng, "DEV", 1000, 2000), numbered(rng, "SEN", 1000, 5000)
    for home, record in homes.items():
        for kind in ("thermostat", "lock", *rng.choices(_WORDS["kinds"], k=rng.randint(2, 5))):
            devices[next(device_ids)] = _device(rng, home, kind, rng.choice(record["rooms"]))
        for quantity in QUANTITIES:
            sensors[next(sensor_ids)] = {
                "home_id": home,
                "room": rng.choice(record["rooms"]),
                "quantity": quantity,
            }
    routines = {
        key: {
            "home_id": rng.choice(list(homes)),
            "at": f"{rng.randint(5, 22):02d}:00",
            "steps": [],
            "active": True,
        }
        for key in numbered(rng, "RTN", 12, 900)
    }
    return {"homes": homes, "devices": devices, "sensors": sensors, "routines": routines}


def _device(rng: random.Random, home: str, kind: str, room: str) -> Record:
    return {
        "home_id": home,
        "kind": kind,
        "room": room,
        "name": f"{room} {kind}",
        "on": rng.random() < 0.5,
        "setpoint": rng.randint(32, 46) / 2 if kind == "thermostat" else None,
        "locked": rng.random() < 0.5 if kind == "lock" else None,
        "battery": rng.randint(12, 100),
        "firmware": f"{rng.randint(1, 4)}.{rng.randint(0, 9)}.{rng.randint(0, 20)}",
    }


def reading(state: State, sensor: str, hours_ago: int) -> float:
    """Return what a sensor showed so many hours ago."""
    scale: dict[str, float] = QUANTITIES[state["sensors"].get(sensor)["quantity"]]
    return round(scale["lowest"] + scale["width"] * state.noise("reading", sensor, hours_ago), 1)


def consumption(state: State, device: str, day: str) -> int:
    """Return how many watt-hours a device used on a day."""
    return 20 + int(1500 * state.noise("energy", device, day))
