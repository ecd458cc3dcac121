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


def list_devices(state: State, home_id: str, kind: str | None) -> Record:
    found = [
        {"device_id": key, **{k: device[k] for k in ("name", "kind", "room", "on")}}
        for key, device in _devices(state, home_id, kind)
    ]
    counts = {"device_count": len(found), "on_count": sum(row["on"] for row in found)}
    return {"home_id": home_id, "kind": kind, "devices": found, **counts}


def site_things(state: State, site: str, type: str | None) -> Record:  # noqa: A002 - the tool's own word
    things = {
        key: {"label": device["name"], "type": device["kind"], "power": "ON" if device["on"] else "OFF"}
        for key, device in _devices(state, site, type)
    }
    return {"site": site, "things": things, "thing_count": len(things)}


def get_device(state: State, device_id: str) -> Record:
    device = state["devices"].get(device_id)
    return {
        "device_id": device_id,
        **{k: device[k] for k in ("home_id", "name", "kind")},
        "state": {"on": device["on"], "setpoint_celsius": device["setpoint"], "locked": device["locked"]},
        "battery_percent": device["battery"],
        "firmware": device["firmware"],
        "last_seen": state.stamp,
    }


def device_shadow(state: State, thing: str) -> Record:
    device = state["devices"].get(thing)
    bolt = None if device["locked"] is None else "shut" if device["locked"] else "open"
    reported = {"power": "ON" if device["on"] else "OFF", "target": device["setpoint"], "bolt": bolt}
    return {"thing": thing, "reported": reported, "charge": device["battery"] / 100}


def list_sensors(state: State, home_id: str) -> Record:
    city = state["homes"].get(home_id)["city"]
    found = [
        {
            "sensor_id": key,
            "quantity": s["quantity"],
            "room": s["room"],
            "unit": QUANTITIES[s["quantity"]]["unit"],
        }
        for key, s in state["sensors"].items()
        if s["home_id"] == home_id
    ]
    return {"home_id": home_id, "city": city, "sensors": found, "sensor_count": len(found)}


def read_sensor(state: State, sensor_id: str) -> Record:
    sensor = state["sensors"].get(sensor_id)
    unit = QUANTITIES[sensor["quantity"]]["unit"]
    shown = {
        "sensor_id": sensor_id,
        "quantity": sensor["quantity"],
        "unit": unit,
        "value": reading(state, sensor_id, 0),
    }
    return {**shown, "room": sensor["room"], "measured_at": state.stamp}


def probe_sample(state: State, probe: str) -> Record:
    unit = QUANTITIES[state["sensors"].get(probe)["quantity"]]["unit"]
    return {"probe": probe, "sample": {"magnitude": reading(state, probe, 0), "uom": unit}}


def latest_values(state: State, sensor_ids: list[str]) -> Record:
    latest = {
        key: {
            "value": reading(state, key, 0),
            "unit": QUANTITIES[state["sensors"].get(key)["quantity"]]["unit"],
        }
        for key in sensor_ids
    }
    return {"latest": latest, "sensor_count": len(latest)}


def _statistics(values: Sequence[float]) -> Record:
    # From Python 3.12 on `sum` rounds otherwise than before.
    mean = round(fsum(values) / len(values), 2)
    return {"count": len(values), "minimum": min(values), "maximum": max(values), "mean": mean}


def sensor_history(state: State, probe: str, back_hours: int) -> Record:
    unit = QUANTITIES[state["sensors"].get(probe)["quantity"]]["unit"]
    found = [{"hours_ago": hour, "value": reading(state, probe, hour)} for hour in range(back_hours)]
    asked = {"probe": probe, "back_hours": back_hours, "uom": unit}
    return {**asked, "readings": found, "reading_count": len(found)}


def sensor_statistics(state: State, sensor_id: str, hours: int) -> Record:
    unit = QUANTITIES[state["sensors"].get(sensor_id)["quantity"]]["unit"]
    shown = {"sensor_id": sensor_id, "hours": hours, "unit": unit}
    return {**shown, **_statistics([reading(state, sensor_id, hour) for hour in range(hours)])}


def summarise_series(state: State, values: list[float]) -> Record:
    del state
    found = _statistics(values)
    return {**found, "spread": round(found["maximum"] - found["minimum"], 2)}


def energy_report(state: State, home_id: str, from_date: str, to_date: str) -> Record:
    days = [d for d in (shift(from_date, n) for n in range(31)) if d <= to_date]
    if not days or shift(from_date, 30) < to_date:
        raise Refused("A report covers between 1 and 31 days.")
    used = {key: sum(consumption(state, key, d) for d in days) for key, _ in _devices(state, home_id, None)}
    total = sum(used.values())
    return {
        "home_id": home_id,
        "from_date": from_date,
        "to_date": to_date,
        "by_device": {k: {"name": state["devices"].get(k)["name"], "watt_hours": n} for k, n in used.items()},
        "device_count": len(used),
        "total_watt_hours": total,
        "mean_watt_hours": round(total / len(used), 2),
    }


def _of_kind(state: State, device: str, kind: str) -> Record:
    if state["devices"].get(device)["kind"] != kind:
        raise Refused(f"Device {device} is not a {kind}.", "conflict")
    return state["devices"].edit(device)


def _warm(state: State, device: str, target: float) -> float:
    record = _of_kind(state, device, "thermostat")
    before = float(record["setpoint"])
    record["setpoint"], record["on"] = target, True
    return before


def set_thermostat(state: State, device_id: str, setpoint_celsius: float) -> Record:
    before = _warm(state, device_id, setpoint_celsius)
    shown = {"device_id": device_id, "setpoint_celsius": setpoint_celsius, "previous_celsius": before}
    return {**shown, "on": True, "applied_at": state.stamp}


def apply_setpoint(state: State, thing: str, target: float) -> Record:
    _warm(state, thing, target)
    return {"thing": thing, "desired": {"target": target, "power": "ON"}, "accepted": True}


def switch_device(state: State, device_id: str, on: bool) -> Record:
    before = state["devices"].get(device_id)["on"]
    device = state["devices"].edit(device_id)
    device["on"] = on
    return {"device_id": device_id, "kind": device["kind"], "on": on, "changed": before != on}


def lock_door(state: State, device_id: str) -> Record:
    lock = _of_kind(state, device_id, "lock")
    lock["locked"] = True
    shown = {"device_id": device_id, "locked": True, "battery_percent": lock["battery"]}
    return {**shown, "locked_at": state.stamp}


def create_routine(state: State, home_id: str, at: str, steps: list[Record]) -> Record:
    state["homes"].get(home_id)
    for step in steps:
        if state["devices"].get(step["device_id"])["home_id"] != home_id:
            raise Refused(f"Device {step['device_id']} is not in home {home_id}.", "conflict")
    routine = {"home_id": home_id, "at": at, "steps": steps, "active": True}
    shown = {"routine_id": state["routines"].add(dict(routine)), **routine}
    return {**shown, "step_count": len(steps), "created_at": state.stamp}


def stop_routine(state: State, routine_id: str) -> Record:
    routine = state["routines"].edit(routine_id)
    routine["active"] = False
    return {"routine_id": routine_id, "home_id": routine["home_id"], "active": False, "at": routine["at"]}
