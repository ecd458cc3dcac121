"""Options that take one value after the other: `--then monday.jsonl tuesday.jsonl`."""

import click

__all__ = ["ManyValues"]


class ManyValues(click.Command):
    """A command whose repeatable options may also be given once, with several values after them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each further value."""
        many = {name for p in self.params if isinstance(p, click.Option) and p.multiple for name in p.opts}
        spread: list[str] = []
        last, values = "", 0
        for word in args:
            if word.startswith("-") and word != "-":
                last, values = word.partition("=")[0], int("=" in word)
            else:
                spread += [last] if last in many and values else []
                values += 1
            spread.append(word)
        return super().parse_args(ctx, spread)
