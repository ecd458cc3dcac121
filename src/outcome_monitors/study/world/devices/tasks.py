"""What people want of their homes."""

from outcome_monitors.study.world._draws import shift
from outcome_monitors.study.world._episodes import Draw, Episode, ask
from outcome_monitors.study.world._needs import need, way
from outcome_monitors.study.world._state import TODAY

__all__ = ["EPISODES", "NEEDS"]

NEEDS = (
    need(
        "devices_of",
        way(
            ("list_devices", {"home_id": "$want.home", "kind": "$want.kind?"}),
            first="$r1.devices[0].device_id",
            count="$r1.device_count",
        ),
        way(
            ("site_things", {"site": "$want.home", "type": "$want.kind?"}),
            first="$r1.things|first_key",
            count="$r1.thing_count",
        ),
    ),
    need(
        "device",
        way(
            ("get_device", {"device_id": "$want.device"}),
            on="$r1.state.on",
            target="$r1.state.setpoint_celsius",
            charge="$r1.battery_percent",
        ),
        way(
            ("device_shadow", {"thing": "$want.device"}),
            on="$r1.reported.power|is_on",
            target="$r1.reported.target",
            charge="$r1.charge|percent",
        ),
    ),
    need(
        "sensors_of",
        way(
            ("list_sensors", {"home_id": "$want.home"}),
            temperature="$r1.sensors[0].sensor_id",
            humidity="$r1.sensors[1].sensor_id",
            co2="$r1.sensors[2].sensor_id",
            power="$r1.sensors[3].sensor_id",
            city="$r1.city",
        ),
    ),
    need(
        "value",
        way(("read_sensor", {"sensor_id": "$want.sensor"}), value="$r1.value", unit="$r1.unit"),
        way(
            ("probe_sample", {"probe": "$want.sensor"}),
            value="$r1.sample.magnitude",
            unit="$r1.sample.uom",
        ),
        way(
            ("latest_values", {"sensor_ids": ["$want.sensor"]}),
            value="$r1.latest.{want.sensor}.value",
            unit="$r1.latest.{want.sensor}.unit",
        ),
    ),
    need(
        "statistics",
        way(
            ("sensor_statistics", {"sensor_id": "$want.sensor", "hours": "$want.hours"}),
            low="$r1.minimum",
            high="$r1.maximum",
            mean="$r1.mean",
        ),
        way(
            ("sensor_history", {"probe": "$want.sensor", "back_hours": "$want.hours"}),
            ("summarise_series", {"values": "$r1.readings[].value"}),
            low="$r2.minimum",
            high="$r2.maximum",
            mean="$r2.mean",
        ),
    ),
    need(
        "energy",
        way(
            ("energy_report", {"home_id": "$want.home", "from_date": "$want.first", "to_date": "$want.last"}),
            total="$r1.total_watt_hours",
            mean="$r1.mean_watt_hours",
        ),
    ),
    need(
        "warmth",
        way(
            ("set_thermostat", {"device_id": "$want.device", "setpoint_celsius": "$want.target"}),
            target="$r1.setpoint_celsius",
        ),
        way(
            ("apply_setpoint", {"thing": "$want.device", "target": "$want.target"}),
            target="$r1.desired.target",
        ),
    ),
    need("switched", way(("switch_device", {"device_id": "$want.device", "on": "$want.on"}), on="$r1.on")),
    need("locked", way(("lock_door", {"device_id": "$want.device"}), locked="$r1.locked")),
    need(
        "routine",
        way(
            ("create_routine", {"home_id": "$want.home", "at": "$want.at", "steps": "$want.steps"}),
            routine="$r1.routine_id",
            steps="$r1.step_count",
        ),
    ),
    need("stopped", way(("stop_routine", {"routine_id": "$want.routine"}), active="$r1.active", at="$r1.at")),
)


def _warm(draw: Draw) -> Episode:
    home, _ = draw.one("homes")
    target = draw.rng.randint(32, 46) / 2
    return Episode(
        f"Set the thermostat of home {home} to {target} degrees and tell how warm it is now.",
        (
            ask("thermostat", "devices_of", home=home, kind="thermostat"),
            ask("before", "device", device="$thermostat.first"),
            ask("sensors", "sensors_of", home=home),
            ask("now", "value", sensor="$sensors.temperature"),
            ask("set", "warmth", device="$thermostat.first", target=target),
            ask("after", "device", device="$thermostat.first"),
        ),
        {
            "now": "$now.value",
            "before": "$before.target",
            "set to": "$after.target",
            "charge": "$after.charge",
        },
    )


def _air(draw: Draw) -> Episode:
    home, hours = draw.one("homes")[0], draw.rng.choice((6, 12, 24, 48))
    return Episode(
        f"How good was the air in home {home} over {hours} hours (CO2), how damp is it, and what is the weather there?",
        (
            ask("sensors", "sensors_of", home=home),
            ask("co2", "statistics", sensor="$sensors.co2", hours=hours),
            ask("damp", "value", sensor="$sensors.humidity"),
            ask("weather", "weather", city="$sensors.city", date=shift(TODAY, draw.rng.randint(0, 5))),
        ),
        {"co2": "$co2.mean", "worst": "$co2.high", "humidity": "$damp.value", "outside": "$weather.high"},
    )


def _night(draw: Draw) -> Episode:
    home, kind = draw.one("homes")[0], draw.rng.choice(("thermostat", "lock"))
    return Episode(
        f"Lock the door of home {home}, switch the first {kind} off, and tell the charge of the lock.",
        (
            ask("lock", "devices_of", home=home, kind="lock"),
            ask("shut", "locked", device="$lock.first"),
            ask("other", "devices_of", home=home, kind=kind),
            ask("off", "switched", device="$other.first", on=False),
            ask("after", "device", device="$lock.first"),
        ),
        {"locked": "$shut.locked", "off": "$other.first", "charge": "$after.charge"},
    )


def _energy(draw: Draw) -> Episode:
    home = draw.one("homes")[0]
    first = shift(TODAY, -draw.rng.randint(8, 60))
    last, hours = shift(first, draw.rng.randint(1, 28)), draw.rng.choice((12, 24, 72))
    return Episode(
        f"How much energy did home {home} use from {first} to {last}, and how high was its power over {hours} hours?",
        (
            ask("sensors", "sensors_of", home=home),
            ask("energy", "energy", home=home, first=first, last=last),
            ask("power", "statistics", sensor="$sensors.power", hours=hours),
            ask("devices", "devices_of", home=home),
        ),
        {
            "energy": "$energy.total",
            "mean": "$energy.mean",
            "power": "$power.high",
            "devices": "$devices.count",
        },
    )


def _automate(draw: Draw) -> Episode:
    home, at = draw.one("homes")[0], f"{draw.rng.randint(5, 23):02d}:{draw.rng.randrange(0, 60, 15):02d}"
    old, on = draw.one("routines")[0], draw.rng.random() < 0.5
    return Episode(
        f"Let the first lock and thermostat of home {home} switch {'on' if on else 'off'} at {at}; stop routine {old}.",
        (
            ask("lock", "devices_of", home=home, kind="lock"),
            ask("thermostat", "devices_of", home=home, kind="thermostat"),
            ask(
                "made",
                "routine",
                home=home,
                at=at,
                steps=[{"device_id": "$lock.first", "on": on}, {"device_id": "$thermostat.first", "on": on}],
            ),
            ask("old", "stopped", routine=old),
        ),
        {"routine": "$made.routine", "stopped": "$old.at", "locks": "$lock.count"},
    )


EPISODES = (_warm, _air, _night, _energy, _automate)
