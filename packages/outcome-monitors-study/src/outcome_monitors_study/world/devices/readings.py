"""What homes show: devices, sensors, energy."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from collections.abc import Sequence
from math import fsum

from outcome_monitors_study.world.draws import shift
from outcome_monitors_study.world.state import Record, Refused, State

from .records import QUANTITIES, consumption, reading

__all__ = [
    "device_shadow",
    "energy_report",
    "get_device",
    "latest_values",
    "list_devices",
    "list_sensors",
    "probe_sample",
    "read_sensor",
    "sensor_history",
    "sensor_statistics",
    "site_things",
    "summarise_series",
]


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
