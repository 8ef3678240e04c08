import * as z from "zod";

export const CSV_TYPE = "text/csv";

const LINE_END = "\r\n";
/**
 * With these a spreadsheet begins a formula (OWASP, "CSV Injection"), and a name may be anything. Also behind what some
 * spreadsheets split cells at, whatever quotes are around them.
 */
const FORMULA_START = /(^|[;|\t\r\n])(?=[=+\-@\t\r\n＝＋－＠])/g;
/** A negative amount is no formula. */
const NUMBER = /^-?[0-9]+$/;

const pageSchema = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  nextCursor: z.string().nullable(),
  unreadable: z.array(z.string()).default([]),
});

/** Last column of a list whose items have objects of their own. It is empty for an item that was read. */
export const UNREADABLE_COLUMN = "unreadable";
const UNREADABLE_TEXT = "cannot be read: the log has why, as object.unreadable";

/** What a field holds as text: null is empty, and what has fields of its own is JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** RFC 4180, section 2, every cell quoted. An apostrophe in front keeps a spreadsheet from running the text. */
function cell(value: unknown): string {
  const text = textOf(value);
  const safe = NUMBER.test(text) ? text : text.replace(FORMULA_START, "$1'");
  return `"${safe.replaceAll('"', '""')}"`;
}

/** RFC 8288: the same list, one page further. */
function linkToNext(requestUrl: string, cursor: string): string {
  const url = new URL(requestUrl);
  url.searchParams.set("cursor", cursor);
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/**
 * A page of a list as CSV, with a header line. An item that cannot be read has a line at the end, with its id alone.
 *
 * @param page as the list's route answers it in JSON. Its `nextCursor`, for which a table has no place, is in the header
 * `Link`.
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
