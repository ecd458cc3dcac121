"""Homes, their devices, sensors and routines."""
# ruff: noqa: D103 - what a tool does is said in tools.json

import random
from collections.abc import Sequence
from math import fsum

from outcome_monitors_study.world.records import CITIES, generator, numbered, shift, vocabulary
from outcome_monitors_study.world.state import Record, Refused, State, Tables

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


def _devices(state: State, home: str, kind: str | None) -> list[tuple[str, Record]]:
    state["homes"].get(home)
    return [(k, d) for k, d in state["devices"].items() if d["home_id"] == home and kind in {None, d["kind"]}]


def _power(device: Record) -> str:
    return "ON" if device["on"] else "OFF"


def list_devices(state: State, home_id: str, kind: str | None) -> Record:
    found = [{"device_id": key, **device} for key, device in _devices(state, home_id, kind)]
    return {"devices": found, "on_count": sum(row["on"] for row in found)}


def site_things(state: State, site: str, type: str | None) -> Record:  # noqa: A002 - the tool's own word
    things = {
        key: {"label": device["name"], "type": device["kind"], "power": _power(device)}
        for key, device in _devices(state, site, type)
    }
    return {"things": things}


def get_device(state: State, device_id: str) -> Record:
    device = state["devices"].get(device_id)
    shown = {**device, "setpoint_celsius": device["setpoint"]}
    return {**device, "state": shown, "battery_percent": device["battery"]}


def device_shadow(state: State, thing: str) -> Record:
    device = state["devices"].get(thing)
    bolt = None if device["locked"] is None else "shut" if device["locked"] else "open"
    reported = {"power": _power(device), "target": device["setpoint"], "bolt": bolt}
    return {"reported": reported, "charge": device["battery"] / 100}


def _sensor(state: State, key: str) -> Record:
    sensor = state["sensors"].get(key)
    return {**sensor, "sensor_id": key, "unit": QUANTITIES[sensor["quantity"]]["unit"]}


def list_sensors(state: State, home_id: str) -> Record:
    city = state["homes"].get(home_id)["city"]
    found = [_sensor(state, key) for key, s in state["sensors"].items() if s["home_id"] == home_id]
    return {"city": city, "sensors": found}


def read_sensor(state: State, sensor_id: str) -> Record:
    return {**_sensor(state, sensor_id), "value": reading(state, sensor_id, 0)}


def probe_sample(state: State, probe: str) -> Record:
    return {"sample": {"magnitude": reading(state, probe, 0), "uom": _sensor(state, probe)["unit"]}}


def latest_values(state: State, sensor_ids: list[str]) -> Record:
    latest = {key: read_sensor(state, key) for key in sensor_ids}
    return {"latest": latest, "sensor_count": len(latest)}


def _statistics(values: Sequence[float]) -> Record:
    # From Python 3.12 on `sum` rounds otherwise than before.
    mean = round(fsum(values) / len(values), 2)
    return {"count": len(values), "minimum": min(values), "maximum": max(values), "mean": mean}


def sensor_history(state: State, probe: str, back_hours: int) -> Record:
    found = [{"hours_ago": hour, "value": reading(state, probe, hour)} for hour in range(back_hours)]
    return {"uom": _sensor(state, probe)["unit"], "readings": found}


def sensor_statistics(state: State, sensor_id: str, hours: int) -> Record:
    values = [reading(state, sensor_id, hour) for hour in range(hours)]
    return {**_sensor(state, sensor_id), **_statistics(values)}


def summarise_series(state: State, values: list[float]) -> Record:
    del state
    found = _statistics(values)
    return {**found, "spread": round(found["maximum"] - found["minimum"], 2)}


def energy_report(state: State, home_id: str, from_date: str, to_date: str) -> Record:
    days = [d for d in (shift(from_date, n) for n in range(31)) if d <= to_date]
    if not days or shift(from_date, 30) < to_date:
        raise Refused("A report covers between 1 and 31 days.")
    used = {
        key: {"name": device["name"], "watt_hours": sum(consumption(state, key, d) for d in days)}
        for key, device in _devices(state, home_id, None)
    }
    total = sum(row["watt_hours"] for row in used.values())
    mean = round(total / len(used), 2)
    return {
        "by_device": used,
        "device_count": len(used),
        "total_watt_hours": total,
        "mean_watt_hours": mean,
    }


def _of_kind(state: State, device: str, kind: str) -> Record:
    if state["devices"].get(device)["kind"] != kind:
        raise Refused(f"Device {device} is not a {kind}.", "conflict")
    return state["devices"].edit(device)


def set_thermostat(state: State, device_id: str, setpoint_celsius: float) -> Record:
    device = _of_kind(state, device_id, "thermostat")
    before = float(device["setpoint"])
    device["setpoint"], device["on"] = setpoint_celsius, True
    return {"previous_celsius": before, "on": True}


def apply_setpoint(state: State, thing: str, target: float) -> Record:
    set_thermostat(state, thing, target)
    return {"desired": {"target": target, "power": "ON"}, "accepted": True}


def switch_device(state: State, device_id: str, on: bool) -> Record:
    before = state["devices"].get(device_id)["on"]
    device = state["devices"].edit(device_id)
    device["on"] = on
    return {**device, "changed": before != on}


def lock_door(state: State, device_id: str) -> Record:
    lock = _of_kind(state, device_id, "lock")
    lock["locked"] = True
    return {**lock, "battery_percent": lock["battery"]}


def create_routine(state: State, home_id: str, at: str, steps: list[Record]) -> Record:
    state["homes"].get(home_id)
    for step in steps:
        if state["devices"].get(step["device_id"])["home_id"] != home_id:
            raise Refused(f"Device {step['device_id']} is not in home {home_id}.", "conflict")
    routine = {"home_id": home_id, "at": at, "steps": steps, "active": True}
    return {"routine_id": state["routines"].add(routine), "active": True}


def stop_routine(state: State, routine_id: str) -> Record:
    routine = state["routines"].edit(routine_id)
    routine["active"] = False
    return routine
