"""How something grows: a power fitted to measured points, and a chart with both axes in powers of ten, as SVG of its own."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10

__all__ = ["Points", "chart", "exponent"]

Points = Sequence[tuple[float, float]]
"""Sizes, and what was measured at each."""

WIDTH, HEIGHT = 600, 300
LEFT, RIGHT, TOP, BOTTOM = 90, 430, 30, 250
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #444 } .title { font-weight: 600 } .grid { stroke: #ddd } .axis { stroke: #999 }
path { fill: none; stroke-width: 2 } .s0 { stroke: #2563a8; fill: #2563a8 } .s1 { stroke: #b4560f; fill: #b4560f } .s1 path, path.s1 { stroke-dasharray: 5 4 }
path.s0, path.s1 { fill: none } text.s0, text.s1 { stroke: none }
@media (prefers-color-scheme: dark) { text { fill: #ccc } .grid { stroke: #444 } .s0 { stroke: #7db3e8; fill: #7db3e8 } .s1 { stroke: #e8a06a; fill: #e8a06a } }
"""


def exponent(points: Points) -> float:
    """Return the power of the size that the points grow with: the slope of the least squares between the logarithms."""
    pairs = [(log10(size), log10(value)) for size, value in points]
    middle_x, middle_y = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
    spread = sum((x - middle_x) ** 2 for x, _ in pairs)
    return sum((x - middle_x) * (y - middle_y) for x, y in pairs) / spread


def chart(title: str, across: str, series: Mapping[str, Points], unit: str) -> str:
    """Return a chart of a few series, each with its name and its power at its end."""
    sizes = [size for points in series.values() for size, _ in points]
    values = [value for points in series.values() for _, value in points]
    wide, tall = _Axis(sizes, LEFT, RIGHT), _Axis(values, BOTTOM, TOP)
    named = zip(_apart([tall(points[-1][1]) for points in series.values()]), series.items(), strict=True)
    parts = [
        f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>',
        *_grid(wide, tall, unit),
        *(
            part
            for index, (y, (name, points)) in enumerate(named)
            for part in _line(index, name, points, wide, tall, y)
        ),
        f'<text x="{(LEFT + RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>',
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>", ""])


class _Axis:
    """Where a value stands, from the power of ten below the least to the one above the most."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        self.low, self.high = floor(log10(min(values))), ceil(log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self._first, self._last = first, last

    def __call__(self, value: float) -> float:
        share = (log10(value) - self.low) / (self.high - self.low)
        return round(self._first + share * (self._last - self._first), 1)

    @property
    def powers(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


def _grid(wide: _Axis, tall: _Axis, unit: str) -> Iterator[str]:
    for power in tall.powers:
        y = tall(power)
        yield f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{power:,g} {escape(unit)}</text>'
    for power in wide.powers:
        x = wide(power)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{BOTTOM}"/>'
        yield f'<text x="{x}" y="{BOTTOM + 18}" text-anchor="middle">{power:,g}</text>'


def _line(index: int, name: str, points: Points, wide: _Axis, tall: _Axis, y: float) -> Iterator[str]:
    places = [(wide(size), tall(value)) for size, value in points]
    way = " L".join(f"{x} {y}" for x, y in places)
    yield f'<path class="s{index}" d="M{way}"/>'
    yield from (f'<circle class="s{index}" cx="{x}" cy="{y}" r="3"/>' for x, y in places)
    yield f'<text class="s{index}" x="{RIGHT + 8}" y="{y + 4}">{escape(name)}: n^{exponent(points):.2f}</text>'


def _apart(heights: Sequence[float], least: float = 16) -> list[float]:
    """Return heights of texts that are not written over each other."""
    found: list[float] = []
    for height in heights:
        clash = next((other for other in found if abs(other - height) < least), None)
        found.append(height if clash is None else clash + (least if height >= clash else -least))
    return found
