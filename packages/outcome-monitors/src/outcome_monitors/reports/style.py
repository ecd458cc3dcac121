"""The style of every page: plain, light and dark, and fit to be printed.

No character in it needs escaping, in HTML or in XML.
"""

__all__ = ["STYLE"]

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d2430; --soft: #5b6575; --rule: #dcdfe4; --track: #eceef1;
  --bar: #2f6f8f; --first: #8a94a3; --second: #c2571a; --third: #2f6f8f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181e; --card: #1b2028; --ink: #e6e9ee; --soft: #9aa5b4; --rule: #333b47; --track: #262d37;
    --bar: #5aa7c9; --first: #8792a2; --second: #f0924f; --third: #5aa7c9;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif;
}
main { max-width: 56rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1 { font-size: 2.1rem; line-height: 1.15; letter-spacing: -0.02em; margin: 0 0 0.6rem; }
h2 { font-size: 1.35rem; letter-spacing: -0.01em; margin: 0 0 0.6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 0.4rem; }
p { margin: 0.5rem 0 0.9rem; max-width: 46rem; }
.lead { font-size: 1.12rem; color: var(--soft); margin-bottom: 1.6rem; max-width: none; }
section { margin-top: 2.6rem; padding-top: 1.6rem; border-top: 1px solid var(--rule); }
.note { color: var(--soft); font-size: 0.9rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 0.9rem; margin: 0; }
.tiles div {
  display: flex; flex-direction: column-reverse; justify-content: flex-end;
  background: var(--card); border: 1px solid var(--rule); border-radius: 0.6rem; padding: 0.9rem 1rem;
}
.tiles dt { color: var(--soft); font-size: 0.88rem; line-height: 1.35; }
.tiles dd { margin: 0 0 0.25rem; font-size: 1.8rem; font-weight: 650; letter-spacing: -0.02em; line-height: 1.2; }
.pair div { min-width: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: 0.9rem; align-items: start; }
.code { margin: 0 0 0.9rem; min-width: 0; }
figcaption { color: var(--soft); font-size: 0.88rem; margin-bottom: 0.25rem; }
pre {
  margin: 0; padding: 0.8rem 1rem; overflow-x: auto; background: var(--card);
  border: 1px solid var(--rule); border-radius: 0.6rem; font-size: 0.82rem; line-height: 1.45;
}
code { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; }
p code, td code { font-size: 0.85em; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 0.5rem 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.3rem; }
th, td { text-align: left; vertical-align: top; padding: 0.32rem 0.9rem 0.32rem 0; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--soft); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
details { margin: 0.6rem 0 1rem; }
summary { cursor: pointer; color: var(--soft); }
.chart { display: block; width: 100%; height: auto; margin: 0.4rem 0 1rem; font-size: 12px; fill: var(--ink); }
.chart .tick, .chart .remark { fill: var(--soft); }
.chart .remark { font-variant-numeric: tabular-nums; }
.chart .grid { stroke: var(--rule); stroke-width: 1; }
.chart .track { fill: var(--track); }
.chart .bar { fill: var(--bar); }
.chart .whisker { stroke: var(--ink); stroke-width: 1.3; opacity: 0.75; }
.chart .joint { stroke: var(--first); stroke-width: 2; }
.chart .dot { stroke-width: 2; stroke: var(--first); fill: var(--paper); }
.chart .dot.s1 { stroke: var(--second); fill: var(--second); }
.chart .dot.s2 { stroke: var(--third); fill: var(--third); }
.chart .line { fill: none; stroke-width: 2; stroke: var(--first); }
.chart .line.s1 { stroke: var(--second); }
.chart .line.s2 { stroke: var(--third); }
.chart .alarm { fill: var(--second); }
.chart .hollow { fill: transparent; }
.narrow { max-width: 38rem; font-size: 10px; }
.meter { display: flex; align-items: center; gap: 0.5rem; min-width: 9rem; }
.meter span { flex: 0 0 3.4rem; font-variant-numeric: tabular-nums; }
.meter svg { flex: 1 1 4rem; min-width: 3rem; height: 0.7rem; }
.meter .track { fill: var(--track); }
.meter .bar { fill: var(--bar); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; margin: 1.4rem 0 0; padding: 0; list-style: none; }
a { color: var(--bar); text-underline-offset: 0.15em; }
summary { overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--second); outline-offset: 2px; }
h1, h2, h3, p, li, dd, tbody th { overflow-wrap: anywhere; }
td { overflow-wrap: break-word; }
tbody th { color: var(--ink); font-weight: 500; min-width: 9rem; }
@media (max-width: 40rem) {
  main { padding: 1.6rem 1rem 3rem; }
  h1 { font-size: 1.7rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 0.6rem; }
  .tiles div { padding: 0.7rem 0.8rem; }
  .tiles dd { font-size: 1.45rem; }
  .scroll > .chart { min-width: 38rem; }
  .stacked, .stacked tbody, .stacked tr, .stacked tbody th, .stacked td { display: block; }
  .stacked thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  .stacked tr { border-bottom: 1px solid var(--rule); padding: 0.5rem 0; }
  .stacked tbody th { font-weight: 600; }
  .stacked tbody th, .stacked td { border: 0; padding: 0.1rem 0; overflow-wrap: anywhere; }
  .stacked td { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: 0.6rem; text-align: left; white-space: normal; }
  .stacked td::before { content: attr(data-name); color: var(--soft); }
  .stacked td:empty { display: none; }
  .stacked td.number { display: inline-block; margin-right: 1.1rem; }
  .stacked td.number::before { margin-right: 0.4rem; }
}
@page { margin: 1.5cm; }
@media print {
  :root {
    --paper: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --track: #eeeeee;
    --bar: #2f6f8f; --first: #777777; --second: #b04a10; --third: #2f6f8f;
  }
  body { font-size: 10.5pt; print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  pre, .tiles, tr, figure, .chart { break-inside: avoid; }
  nav { display: none; }
  .narrow { max-width: 26rem; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
  .scroll { overflow: visible; }
  pre { white-space: pre-wrap; }
  h2, h3 { break-after: avoid; }
  details:not(.screen)::details-content { content-visibility: visible; block-size: auto; }
}
"""
