"""What sets devices, and the routines that do so by the clock."""

from functools import partial

from outcome_monitors.study.world._schema import choice, count, flag, ident, moment, number, obj, rows, text
from outcome_monitors.study.world._state import Record, State
from outcome_monitors.study.world._tool import Refused, tool

from .records import KINDS

__all__ = ["TOOLS"]

action = partial(tool, "devices", "action")

_DEVICE = ident("DEV", "Device")
_CLOCK = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "description": "Time of day, 06:30"}


def _of_kind(state: State, device: str, kind: str) -> Record:
    if state["devices"].get(device)["kind"] != kind:
        raise Refused(f"Device {device} is not a {kind}.", "conflict")
    return state["devices"].edit(device)


def _warm(state: State, device: str, target: float) -> float:
    record = _of_kind(state, device, "thermostat")
    before = float(record["setpoint"])
    record["setpoint"], record["on"] = target, True
    return before


@action(
    obj(
        device_id=ident("DEV"),
        setpoint_celsius=number(5, 30),
        previous_celsius=number(5, 30),
        on=flag(),
        applied_at=moment(),
    ),
    idempotent=True,
    device_id=_DEVICE,
    setpoint_celsius=number(5, 30, "Temperature wanted"),
)
def set_thermostat(state: State, device_id: str, setpoint_celsius: float) -> Record:
    """Set a thermostat to a temperature and switch it on."""
    before = _warm(state, device_id, setpoint_celsius)
    shown = {"device_id": device_id, "setpoint_celsius": setpoint_celsius, "previous_celsius": before}
    return {**shown, "on": True, "applied_at": state.stamp}


@action(
    obj(thing=ident("DEV"), desired=obj(target=number(5, 30), power=choice("ON")), accepted=flag()),
    idempotent=True,
    thing=ident("DEV", "Thing"),
    target=number(5, 30, "Target in degrees Celsius"),
)
def apply_setpoint(state: State, thing: str, target: float) -> Record:
    """Apply a target temperature to a thing."""
    _warm(state, thing, target)
    return {"thing": thing, "desired": {"target": target, "power": "ON"}, "accepted": True}


@action(
    obj(device_id=ident("DEV"), kind=choice(*KINDS), on=flag(), changed=flag()),
    idempotent=True,
    device_id=_DEVICE,
    on=flag("On or off"),
)
def switch_device(state: State, device_id: str, on: bool) -> Record:
    """Switch a device on or off."""
    before = state["devices"].get(device_id)["on"]
    device = state["devices"].edit(device_id)
    device["on"] = on
    return {"device_id": device_id, "kind": device["kind"], "on": on, "changed": before != on}


@action(
    obj(device_id=ident("DEV"), locked=flag(), battery_percent=count(), locked_at=moment()),
    idempotent=True,
    device_id=_DEVICE,
)
def lock_door(state: State, device_id: str) -> Record:
    """Lock a door."""
    lock = _of_kind(state, device_id, "lock")
    lock["locked"] = True
    shown = {"device_id": device_id, "locked": True, "battery_percent": lock["battery"]}
    return {**shown, "locked_at": state.stamp}


@action(
    obj(
        routine_id=ident("RTN"),
        home_id=ident("HOM"),
        at=_CLOCK,
        steps=rows(obj(device_id=ident("DEV"), on=flag()), 1),
        step_count=count(),
        active=flag(),
        created_at=moment(),
    ),
    home_id=ident("HOM", "Home"),
    at=_CLOCK,
    steps=rows(obj(device_id=ident("DEV"), on=flag()), least=1, most=10),
)
def create_routine(state: State, home_id: str, at: str, steps: list[Record]) -> Record:
    """Create a routine that switches devices at a time of day; each call creates another one."""
    state["homes"].get(home_id)
    for step in steps:
        if state["devices"].get(step["device_id"])["home_id"] != home_id:
            raise Refused(f"Device {step['device_id']} is not in home {home_id}.", "conflict")
    routine = {"home_id": home_id, "at": at, "steps": steps, "active": True}
    shown = {"routine_id": state["routines"].add(dict(routine)), **routine}
    return {**shown, "step_count": len(steps), "created_at": state.stamp}


@action(
    obj(routine_id=ident("RTN"), home_id=ident("HOM"), active=flag(), at=text()),
    idempotent=True,
    routine_id=ident("RTN", "Routine"),
)
def stop_routine(state: State, routine_id: str) -> Record:
    """Stop a routine from running."""
    routine = state["routines"].edit(routine_id)
    routine["active"] = False
    return {"routine_id": routine_id, "home_id": routine["home_id"], "active": False, "at": routine["at"]}


TOOLS = (set_thermostat, apply_setpoint, switch_device, lock_door, create_routine, stop_routine)
