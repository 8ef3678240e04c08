import { fitted, widthOf, wrapped } from "./width.ts";

/** One column of a table. Numbers and amounts stand on the right. */
export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  /** True for a text that a person copies. It is never cut. */
  readonly isWhole?: boolean;
}

/** The looks of a table. */
export interface TableLooks {
  /** The columns of the terminal. Null if the output goes elsewhere, and nothing is cut. */
  readonly columns: number | null;
  /** Marks the header line. */
  readonly head: (text: string) => string;
}

const GAP = "  ";
const LEAST_COLUMNS = 12;

function padded(text: string, width: number, align: Column["align"]): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? space + text : text + space;
}

/** Narrows the widest columns until the table fits. Columns on the right keep their digits. */
function narrowed(widths: readonly number[], columns: readonly Column[], most: number): readonly number[] {
  const fit = [...widths];
  for (;;) {
    const over = fit.reduce((sum, width) => sum + width, GAP.length * (fit.length - 1)) - most;
    if (over <= 0) return fit;
    const textWidths = fit.map((width, index) =>
      columns[index]?.align === "left" && columns[index].isWhole !== true ? width : 0,
    );
    const widest = Math.max(...textWidths);
    if (widest <= LEAST_COLUMNS) return fit;
    fit[textWidths.indexOf(widest)] = Math.max(LEAST_COLUMNS, widest - over);
  }
}

/** Returns how many columns fit, the first ones. A line that the terminal breaks is no line of a table any more. */
function fittingCount(widths: readonly number[], most: number): number {
  let [count, used] = [0, 0];
  for (const width of widths) {
    used += width + (count === 0 ? 0 : GAP.length);
    if (used > most && count > 0) break;
    count += 1;
  }
  return count;
}

/** Returns the lines of a table. On a terminal, columns without room are named below it. Cells are inert texts of one line. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { columns: most, head }: TableLooks,
): readonly string[] {
  const natural = columns.map(({ title }, index) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[index] ?? "")), widthOf(title)),
  );
  const widths = most === null ? natural : narrowed(natural, columns, most);
  const count = most === null ? columns.length : fittingCount(widths, most);
  const line = (cells: readonly string[]) =>
    columns
      .slice(0, count)
      .map(({ align }, index) => padded(fitted(cells[index] ?? "", widths[index] ?? 0), widths[index] ?? 0, align))
      .join(GAP)
      .trimEnd();
  const leftOut = columns.slice(count).map(({ title }) => title);
  return [
    head(line(columns.map(({ title }) => title))),
    ...rows.map(line),
    ...(leftOut.length === 0 || most === null ? [] : wrapped(`No room for ${leftOut.join(", ")}`, most)),
  ];
}
