/** The media type of lists as CSV (RFC 4180). */
export const CSV_TYPE = "text/csv";

const LINE_END = "\r\n";
/**
 * Characters with which a spreadsheet begins a formula (OWASP, "CSV Injection"); a name may begin with any. They also
 * count after characters at which some spreadsheets split cells, even inside quotes.
 */
const FORMULA_START = /(^|[;|\t\r\n])(?=[=+\-@\t\r\n＝＋－＠])/g;
/** A negative amount is no formula. */
const NUMBER = /^-?[0-9]+$/;

/** Returns a field as text. Null is empty, and an object is JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Returns a cell by RFC 4180, section 2, always quoted. An apostrophe in front keeps a spreadsheet from running the
 * text.
 */
function cell(value: unknown): string {
  const text = textOf(value);
  const safe = NUMBER.test(text) ? text : text.replace(FORMULA_START, "$1'");
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Returns the header line. */
export function csvHeader(columns: readonly string[]): string {
  return line(columns);
}

/** Returns a line for each row. */
export function csvLines(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  return rows.map((row) => line(columns.map((column) => row[column]))).join("");
}

function line(fields: readonly unknown[]): string {
  return fields.map(cell).join(",") + LINE_END;
}
