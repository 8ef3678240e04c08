import type { Comparison, RouteFigures, Spread } from "./comparison.ts";

const WIDTH = 960;
const MARGIN = 24;
const LABEL = 210;
const GAP = 40;
const BAR = 14;
const ROW = 22;
const HEAD = 96;
const PANEL_HEAD = 40;
const PANEL_GAP = 22;
/** Room for the figure behind a bar. */
const FIGURE = 62;
const PLOT = (WIDTH - 2 * MARGIN - LABEL - GAP) / 2 - FIGURE;
const [CPU_AT, REQUESTS_AT] = [MARGIN + LABEL, MARGIN + LABEL + PLOT + FIGURE + GAP];

/** Colours of both schemes. The service stands out by its fill and by its bold name, so that colour says nothing alone. */
const STYLE = `
svg { color-scheme: light dark; --ground: #ffffff; --ink: #1c2127; --faint: #5c6670; --bar: #9aa7b4; --own: #1f6feb; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #14181d; --ink: #e6eaee; --faint: #9aa5b1; --bar: #5b6773; --own: #58a6ff; }
}
text { font: 13px system-ui, sans-serif; fill: var(--ink); }
.title { font-size: 19px; font-weight: 600; }
.method { font-size: 15px; font-weight: 600; }
.faint { fill: var(--faint); font-size: 12px; }
.service { font-weight: 600; }
.ground { fill: var(--ground); }
.bar { fill: var(--bar); }
.bar.service { fill: var(--own); }
.spread { stroke: var(--ink); stroke-width: 1.5; }
`;

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function text(x: number, y: number, className: string, value: string, anchor = "start"): string {
  return `<text x="${x}" y="${y}" class="${className}" text-anchor="${anchor}">${escaped(value)}</text>`;
}

/** A bar up to the median, with a line from the least to the greatest value. */
function bar(x: number, y: number, className: string, spread: Spread, greatest: number): string {
  if (!Number.isFinite(spread.median) || greatest <= 0) return text(x, y + BAR - 3, "faint", "not measured");
  const at = (value: number) => ((value / greatest) * PLOT).toFixed(1);
  const middle = y + BAR / 2;
  const [from, to] = [x + Number(at(spread.min)), x + Number(at(spread.max))];
  return [
    `<rect x="${x}" y="${y}" width="${at(spread.median)}" height="${BAR}" class="bar${className}"/>`,
    `<line x1="${from.toFixed(1)}" x2="${to.toFixed(1)}" y1="${middle}" y2="${middle}" class="spread"/>`,
    text(to + 6, y + BAR - 3, "faint", spread.median.toFixed(0)),
  ].join("");
}

function greatestOf(routes: readonly RouteFigures[], pick: (figures: RouteFigures) => Spread): number {
  return Math.max(0, ...routes.map((figures) => pick(figures).max).filter(Number.isFinite));
}

function panelHeight({ routes }: Comparison): number {
  return PANEL_HEAD + routes.length * ROW + PANEL_GAP;
}

function panel({ method, callers, routes }: Comparison, top: number): string {
  const greatestCpu = greatestOf(routes, ({ cpuMicros }) => cpuMicros);
  const greatestRequests = greatestOf(routes, ({ requestsPerSecond }) => requestsPerSecond);
  const rows = routes.map((figures, index) => {
    const y = top + PANEL_HEAD + index * ROW;
    const own = index === 0 ? " service" : "";
    return [
      text(MARGIN, y + BAR - 3, own.trim(), figures.name),
      bar(CPU_AT, y, own, figures.cpuMicros, greatestCpu),
      bar(REQUESTS_AT, y, own, figures.requestsPerSecond, greatestRequests),
    ].join("");
  });
  return [
    text(MARGIN, top + 22, "method", `${method}, ${callers} callers`),
    text(CPU_AT, top + 22, "faint", "CPU a request, µs (less is better)"),
    text(REQUESTS_AT, top + 22, "faint", "requests a second (more is better)"),
    ...rows,
  ].join("\n");
}

/**
 * Draws comparisons as bars, one panel each: CPU a request on the left, requests a second on the right. Each panel has
 * scales of its own. The line of a bar goes from the least to the greatest round.
 */
export function svgOf(comparisons: readonly Comparison[], subtitle: string): string {
  let top = HEAD;
  const panels = comparisons.map((comparison) => {
    const drawn = panel(comparison, top);
    top += panelHeight(comparison);
    return drawn;
  });
  const height = top + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">
<title id="title">Gasworks against its floors and peers</title>
<desc id="desc">${escaped(subtitle)}</desc>
<style>${STYLE}</style>
<rect width="${WIDTH}" height="${height}" class="ground"/>
${text(MARGIN, 38, "title", "Gasworks against its floors and peers")}
${text(MARGIN, 62, "faint", subtitle)}
${panels.join("\n")}
</svg>
`;
}
