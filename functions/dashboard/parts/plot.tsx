import { type Geometry, plotGeometry, type Series } from "./plot-geometry.ts";
import { dayText } from "./time-text.ts";

/** A plot of bars by day. */
export interface PlotProps {
  readonly title: string;
  /** Days of the list: `2026-11-23`. The oldest comes first. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Writes a value for people. */
  readonly format: (value: number) => string;
  /** Completes a sentence if there is nothing: `Nothing was refused`. */
  readonly empty: string;
}

/** Describes a plot in a sentence: its sum, its highest day and its last day. */
export function plotSentence({ days, series, format, empty }: Omit<PlotProps, "title">): string {
  const sums = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const total = sums.reduce((sum, value) => sum + value, 0);
  const [first = "", last = ""] = [days[0], days.at(-1)];
  if (total === 0) return `${empty} from ${dayText(first)} to ${dayText(last)}.`;
  const highest = sums.indexOf(Math.max(...sums));
  const names = series
    .map(({ name, values }) => `${format(values.reduce((sum, value) => sum + value, 0))} ${name}`)
    .join(", ");
  return `${dayText(first)} to ${dayText(last)}: ${names}. The highest day is ${dayText(days[highest] ?? "")} with ${format(sums[highest] ?? 0)}; the last day has ${format(sums.at(-1) ?? 0)}.`;
}

function Bars({ bars }: Pick<Geometry, "bars">) {
  return (
    <>
      {bars.map(({ series, x, y, width, height }) => (
        <rect class={`bar s${series + 1}`} x={x} y={y} width={width} height={height} rx="1" />
      ))}
    </>
  );
}

/** Names the values of a day: the tip of its column. */
function dayTip(day: number, { days, series, format }: Pick<PlotProps, "days" | "series" | "format">): string {
  const values = series.map(({ name, values }) => `${format(values[day] ?? 0)} ${name}`);
  return `${dayText(days[day] ?? "")}: ${values.join(", ")}`;
}

function Table({ days, series, format }: Pick<PlotProps, "days" | "series" | "format">) {
  return (
    <details class="plot-table">
      <summary>The numbers</summary>
      <div class="wrap">
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name }) => (
                <th scope="col" class="n">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days
              .map((day, index) => (
                <tr>
                  <th scope="row">{day}</th>
                  {series.map(({ values }) => (
                    <td class="n">{format(values[index] ?? 0)}</td>
                  ))}
                </tr>
              ))
              .reverse()}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Drawing({ title, sentence, ...plot }: PlotProps & { readonly sentence: string }) {
  const { days, series, format } = plot;
  const { width, height, bars, grid, labels, columns, left } = plotGeometry(days.length, series);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}. ${sentence}`}>
      {grid.map(({ y, value }) => (
        <>
          <line class="grid" x1={left - 4} x2={width - 8} y1={y} y2={y} />
          <text class="axis" x={left - 8} y={y + 4} text-anchor="end">
            {format(value)}
          </text>
        </>
      ))}
      <Bars bars={bars} />
      {labels.map(({ day, x }) => (
        <text class="axis" x={x} y={height - 6} text-anchor="middle">
          {dayText(days[day] ?? "")}
        </text>
      ))}
      {columns.map(({ x, width: column }, day) => (
        <rect class="column" x={x} y="0" width={column} height={height - 24}>
          <title>{dayTip(day, plot)}</title>
        </rect>
      ))}
    </svg>
  );
}

/** Draws stacked bars by day. A sentence and a table say the same in words. */
export function Plot({ title, ...plot }: PlotProps) {
  const { series } = plot;
  const isEmpty = series.every(({ values }) => values.every((value) => value <= 0));
  const sentence = plotSentence(plot);
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong>
        {series.length > 1 && (
          <span class="legend">
            {series.map(({ name }, index) => (
              <span>
                <i class={`swatch s${index + 1}`} aria-hidden="true"></i>
                {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      {isEmpty ? null : <Drawing title={title} sentence={sentence} {...plot} />}
      <p class="dim">{sentence}</p>
      {isEmpty ? null : <Table {...plot} />}
    </figure>
  );
}
