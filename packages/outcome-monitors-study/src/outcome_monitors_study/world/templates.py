"""Arguments that draw on what is already known.

A template is a JSON value. In it, a text that begins with `$` stands for a value of the scope, by path (`jsonvalue.paths`):

    $order.items[0].sku         one value
    $order.items[].sku          the values of all rows, as a list
    $product.variants.{sku}.price   a key that is itself a value of the scope
    $want.status?               left out of its object where there is none
    $purchase.amount_cents|units    read through one of READERS

Any other text may quote values in braces: "The total is {order.total}".
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from outcome_monitors.jsonvalue.paths import Each, parse, select

_QUOTED = re.compile(r"\{([^{}]+)\}")
_AFTER_ROOT = re.compile(r"[.\[?]")
_ABSENT = object()


def _number(convert: Callable[[float], Any]) -> Callable[[Any], Any]:
    """Convert numbers, and take anything else at face value, as a reader who suspects nothing would."""
    return lambda value: convert(value) if isinstance(value, int | float) and abs(value) < 1e12 else value


READERS: dict[str, Callable[[Any], Any]] = {
    "units": _number(lambda cents: cents / 100),
    "cents": _number(lambda units: round(units * 100)),
    "percent": _number(lambda share: round(share * 100)),
    "celsius": _number(lambda fahrenheit: round((fahrenheit - 32) / 1.8)),
    "lower": lambda value: value.lower() if isinstance(value, str) else value,
    "spaced": lambda value: value.replace("_", " ") if isinstance(value, str) else value,
    "first_word": lambda value: (value.split() or [""])[0].lower() if isinstance(value, str) else value,
    "is_on": lambda value: value == "ON",
    "status": lambda value: (
        {"HK": "confirmed", "XX": "cancelled"}.get(value, value) if isinstance(value, str) else value
    ),
    "first_key": lambda value: next(iter(value), None) if isinstance(value, dict) else value,
}
"""How a value written in one form is read in another."""


def fill(template: Any, scope: Mapping[str, Any]) -> Any:
    """Return the template with every reference replaced by its value; null where there is none."""
    if isinstance(template, str):
        found = _text(template, scope)
        return None if found is _ABSENT else found
    if isinstance(template, Mapping):
        filled = (
            (key, _text(v, scope) if isinstance(v, str) else fill(v, scope)) for key, v in template.items()
        )
        return {key: value for key, value in filled if value is not _ABSENT}
    if isinstance(template, list | tuple):
        return [fill(item, scope) for item in template]
    return template


def bind(template: Any, scope: Mapping[str, Any]) -> Any:
    """Return the template with every reference to the scope replaced; what refers to anything else stays as it is."""
    if isinstance(template, Mapping):
        return {key: bind(value, scope) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [bind(item, scope) for item in template]
    if not isinstance(template, str):
        return template
    if template.startswith("$"):
        return fill(template, scope) if _root(template[1:]) in scope else template
    return _QUOTED.sub(
        lambda found: str(_look_up(found[1], scope)) if _root(found[1]) in scope else found[0], template
    )


def _root(path: str) -> str:
    """Return the name in the scope with which a path begins."""
    return _AFTER_ROOT.split(path, maxsplit=1)[0]


def _text(template: str, scope: Mapping[str, Any]) -> Any:
    if not template.startswith("$"):
        return _QUOTED.sub(lambda found: str(_look_up(found[1], scope)), template)
    path, _, reader = template[1:].partition("|")
    optional = path.endswith("?")
    value = _look_up(_QUOTED.sub(lambda found: str(_look_up(found[1], scope)), path.rstrip("?")), scope)
    if value is None and optional:
        return _ABSENT
    return READERS[reader](value) if reader else value


def _look_up(path: str, scope: Mapping[str, Any]) -> Any:
    try:
        steps = parse(path)
    except ValueError:  # a corrupted value stood where a key was expected
        return None
    found = [value for _, value in select(scope, path)]
    if any(isinstance(step, Each) for step in steps):
        return found
    return found[0] if found else None
