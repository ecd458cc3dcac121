"""What sets devices, and the routines that do so by the clock."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.state import Record, Refused, State

__all__ = ["apply_setpoint", "create_routine", "lock_door", "set_thermostat", "stop_routine", "switch_device"]


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
