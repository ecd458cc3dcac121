"""What homes show: devices, sensors, energy."""

from collections.abc import Sequence
from functools import partial

from outcome_monitors.world._draws import shift
from outcome_monitors.world._schema import (
    by_id,
    choice,
    count,
    day,
    flag,
    ident,
    maybe,
    moment,
    number,
    obj,
    rows,
    text,
    whole,
)
from outcome_monitors.world._state import Record, State
from outcome_monitors.world._tool import Refused, tool
from outcome_monitors.world.devices.records import KINDS, QUANTITIES, consumption, reading

__all__ = ["TOOLS"]

source = partial(tool, "devices", "source")
processor = partial(tool, "devices", "processor")

_KIND = choice(*KINDS, about="Only devices of this kind")
_QUANTITY = choice(*QUANTITIES)
_UNIT = choice(*(quantity["unit"] for quantity in QUANTITIES.values()))
_HOME = ident("HOM", "Home")
_SENSOR = ident("SEN", "Sensor")
_DEVICE = ident("DEV", "Device")


def _devices(state: State, home: str, kind: str | None) -> list[tuple[str, Record]]:
    state["homes"].get(home)
    return [(k, d) for k, d in state["devices"].items() if d["home_id"] == home and kind in {None, d["kind"]}]


@source(
    obj(
        home_id=ident("HOM"),
        kind=maybe(_KIND),
        devices=rows(obj(device_id=ident("DEV"), name=text(), kind=_KIND, room=text(), on=flag())),
        device_count=count(),
        on_count=count(),
    ),
    home_id=_HOME,
    kind=_KIND,
)
def list_devices(state: State, home_id: str, kind: str | None = None) -> Record:
    """List the devices of a home."""
    found = [
        {"device_id": key, **{k: device[k] for k in ("name", "kind", "room", "on")}}
        for key, device in _devices(state, home_id, kind)
    ]
    counts = {"device_count": len(found), "on_count": sum(row["on"] for row in found)}
    return {"home_id": home_id, "kind": kind, "devices": found, **counts}


@source(
    obj(
        site=ident("HOM"),
        things=by_id(obj(label=text(), type=_KIND, power=choice("ON", "OFF"))),
        thing_count=count(),
    ),
    site=ident("HOM", "Site"),
    type=_KIND,
)
def site_things(state: State, site: str, type: str | None = None) -> Record:  # noqa: A002 - the tool's own word
    """Give the things of a site by id, with their power state."""
    things = {
        key: {"label": device["name"], "type": device["kind"], "power": "ON" if device["on"] else "OFF"}
        for key, device in _devices(state, site, type)
    }
    return {"site": site, "things": things, "thing_count": len(things)}


@source(
    obj(
        device_id=ident("DEV"),
        home_id=ident("HOM"),
        name=text(),
        kind=_KIND,
        state=obj(on=flag(), setpoint_celsius=maybe(number(5, 30)), locked=maybe(flag())),
        battery_percent=whole(0, 100),
        firmware={"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"},
        last_seen=moment(),
    ),
    device_id=_DEVICE,
)
def get_device(state: State, device_id: str) -> Record:
    """Give one device's state, battery and firmware."""
    device = state["devices"].get(device_id)
    return {
        "device_id": device_id,
        **{k: device[k] for k in ("home_id", "name", "kind")},
        "state": {"on": device["on"], "setpoint_celsius": device["setpoint"], "locked": device["locked"]},
        "battery_percent": device["battery"],
        "firmware": device["firmware"],
        "last_seen": state.stamp,
    }


@source(
    obj(
        thing=ident("DEV"),
        reported=obj(
            power=choice("ON", "OFF"), target=maybe(number(5, 30)), bolt=maybe(choice("shut", "open"))
        ),
        charge=number(0, 1),
    ),
    thing=ident("DEV", "Thing"),
)
def device_shadow(state: State, thing: str) -> Record:
    """Give what a thing last reported: power, target, bolt, charge."""
    device = state["devices"].get(thing)
    bolt = None if device["locked"] is None else "shut" if device["locked"] else "open"
    reported = {"power": "ON" if device["on"] else "OFF", "target": device["setpoint"], "bolt": bolt}
    return {"thing": thing, "reported": reported, "charge": device["battery"] / 100}


@source(
    obj(
        home_id=ident("HOM"),
        city=text(),
        sensors=rows(obj(sensor_id=ident("SEN"), quantity=_QUANTITY, room=text(), unit=_UNIT), least=1),
        sensor_count=count(),
    ),
    home_id=_HOME,
)
def list_sensors(state: State, home_id: str) -> Record:
    """List the sensors of a home: temperature, humidity, CO2, power, in this order."""
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


@source(
    obj(
        sensor_id=ident("SEN"),
        quantity=_QUANTITY,
        unit=_UNIT,
        value=number(),
        room=text(),
        measured_at=moment(),
    ),
    sensor_id=_SENSOR,
)
def read_sensor(state: State, sensor_id: str) -> Record:
    """Read a sensor's present value."""
    sensor = state["sensors"].get(sensor_id)
    unit = QUANTITIES[sensor["quantity"]]["unit"]
    shown = {
        "sensor_id": sensor_id,
        "quantity": sensor["quantity"],
        "unit": unit,
        "value": reading(state, sensor_id, 0),
    }
    return {**shown, "room": sensor["room"], "measured_at": state.stamp}


@source(
    obj(probe=ident("SEN"), sample=obj(magnitude=number(), uom=_UNIT)),
    probe=ident("SEN", "Probe"),
)
def probe_sample(state: State, probe: str) -> Record:
    """Take a sample from a probe."""
    unit = QUANTITIES[state["sensors"].get(probe)["quantity"]]["unit"]
    return {"probe": probe, "sample": {"magnitude": reading(state, probe, 0), "uom": unit}}


@source(
    obj(latest=by_id(obj(value=number(), unit=_UNIT)), sensor_count=count()),
    sensor_ids=rows(ident("SEN"), least=1, most=20),
)
def latest_values(state: State, sensor_ids: list[str]) -> Record:
    """Give the present values of several sensors at once."""
    latest = {
        key: {
            "value": reading(state, key, 0),
            "unit": QUANTITIES[state["sensors"].get(key)["quantity"]]["unit"],
        }
        for key in sensor_ids
    }
    return {"latest": latest, "sensor_count": len(latest)}


def _statistics(values: Sequence[float]) -> Record:
    mean = round(sum(values) / len(values), 2)
    return {"count": len(values), "minimum": min(values), "maximum": max(values), "mean": mean}


_STATISTICS = {"count": count(), "minimum": number(), "maximum": number(), "mean": number()}


@source(
    obj(
        probe=ident("SEN"),
        back_hours=whole(1, 72),
        uom=_UNIT,
        readings=rows(obj(hours_ago=count(), value=number()), least=1),
        reading_count=count(),
    ),
    probe=ident("SEN", "Probe"),
    back_hours=whole(1, 72, "How far back, one reading an hour"),
)
def sensor_history(state: State, probe: str, back_hours: int = 24) -> Record:
    """List a probe's hourly readings, latest first."""
    unit = QUANTITIES[state["sensors"].get(probe)["quantity"]]["unit"]
    found = [{"hours_ago": hour, "value": reading(state, probe, hour)} for hour in range(back_hours)]
    asked = {"probe": probe, "back_hours": back_hours, "uom": unit}
    return {**asked, "readings": found, "reading_count": len(found)}


@source(
    obj(sensor_id=ident("SEN"), hours=whole(1, 72), unit=_UNIT, **_STATISTICS),
    sensor_id=_SENSOR,
    hours=whole(1, 72, "How far back, one reading an hour"),
)
def sensor_statistics(state: State, sensor_id: str, hours: int = 24) -> Record:
    """Give count, minimum, maximum and mean of a sensor's hourly readings."""
    unit = QUANTITIES[state["sensors"].get(sensor_id)["quantity"]]["unit"]
    shown = {"sensor_id": sensor_id, "hours": hours, "unit": unit}
    return {**shown, **_statistics([reading(state, sensor_id, hour) for hour in range(hours)])}


@processor(obj(**_STATISTICS, spread=number(0)), values=rows(number(-1e6, 1e6), least=1, most=200))
def summarise_series(state: State, values: list[float]) -> Record:
    """Give count, minimum, maximum, mean and spread of numbers."""
    del state
    found = _statistics(values)
    return {**found, "spread": round(found["maximum"] - found["minimum"], 2)}


@source(
    obj(
        home_id=ident("HOM"),
        from_date=day(),
        to_date=day(),
        by_device=by_id(obj(name=text(), watt_hours=count())),
        device_count=count(),
        total_watt_hours=count(),
        mean_watt_hours=number(0),
    ),
    home_id=_HOME,
    from_date=day("First day"),
    to_date=day("Last day"),
)
def energy_report(state: State, home_id: str, from_date: str, to_date: str) -> Record:
    """Report what each device of a home used between two days, the sum and the mean."""
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


TOOLS = (
    list_devices,
    site_things,
    get_device,
    device_shadow,
    list_sensors,
    read_sensor,
    probe_sample,
    latest_values,
    sensor_history,
    sensor_statistics,
    summarise_series,
    energy_report,
)
