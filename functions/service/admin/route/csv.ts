import * as z from "zod";

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

const pageSchema = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  nextCursor: z.string().nullable(),
  unreadable: z.array(z.string()).default([]),
});

/** The last column of a list whose items have objects of their own. It is empty for an item that was read. */
export const UNREADABLE_COLUMN = "unreadable";
const UNREADABLE_TEXT = "cannot be read: the log has why, as object.unreadable";

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

/** Returns a link by RFC 8288 to the next page of the same list. */
function linkToNext(requestUrl: string, cursor: string): string {
  const url = new URL(requestUrl);
  url.searchParams.set("cursor", cursor);
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/**
 * Answers a page of a list as CSV, with a header line. An unreadable item has a line at the end, with its id alone.
 *
 * @param page the JSON answer of the list's route. A table has no place for its `nextCursor`, so the header `Link` has
 * it.
 */
export function csvResponse(columns: readonly string[], page: unknown, requestUrl: string): Response {
  const { items, nextCursor, unreadable } = pageSchema.parse(page);
  const named = unreadable.map((id) => ({ id, [UNREADABLE_COLUMN]: UNREADABLE_TEXT }));
  const rows: readonly Readonly<Record<string, unknown>>[] = [...items, ...named];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  const text = lines.map((fields) => fields.map(cell).join(",") + LINE_END).join("");
  return new Response(text, {
    headers: {
      "content-type": `${CSV_TYPE}; charset=utf-8; header=present`,
      ...(nextCursor !== null && { link: linkToNext(requestUrl, nextCursor) }),
    },
  });
}
