"""How fast it is, as ratios: `python -m bench`. Timings are for people to read; no test rests on one."""
