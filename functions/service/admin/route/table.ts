import * as z from "zod";
import { sleep } from "../../../../shared/timing.ts";
import { CSV_TYPE, csvHeader, csvLines } from "./csv.ts";
import type { Answer } from "./route.ts";

/** The media type of lists with one JSON object a line. */
export const NDJSON_TYPE = "application/x-ndjson";
/** The media types of a list besides JSON. */
export const tableTypes = [CSV_TYPE, NDJSON_TYPE] as const;
/** One of these media types. */
export type TableType = (typeof tableTypes)[number];

/**
 * The pause between two pages of a whole list. A page takes some 12 ms of the object, so a download leaves nine tenths
 * of its time to other calls.
 */
const PAUSE_MS = 120;

const CONTENT_TYPES = {
  [CSV_TYPE]: `${CSV_TYPE}; charset=utf-8; header=present`,
  [NDJSON_TYPE]: `${NDJSON_TYPE}; charset=utf-8`,
};

/** The last column of a list whose items have objects of their own. It is empty for an item that was read. */
export const UNREADABLE_COLUMN = "unreadable";
const UNREADABLE_TEXT = "cannot be read: the log has why, as object.unreadable";

type Item = Readonly<Record<string, unknown>>;

const pageSchema = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  nextCursor: z.string().nullable(),
  unreadable: z.array(z.string()).default([]),
});

/** A list as a table: its media type, and the columns of its header line. */
export interface Table {
  readonly type: TableType;
  readonly columns: readonly string[];
}

/** Reads the page at a cursor. */
export type ReadPage = (cursor: string) => Promise<Answer<unknown>>;

/** Returns the rows of a page. An unreadable item has a row at the end, with its id alone. */
function rowsOf({ items, unreadable }: z.output<typeof pageSchema>): readonly Item[] {
  return [...items, ...unreadable.map((id) => ({ id, [UNREADABLE_COLUMN]: UNREADABLE_TEXT }))];
}

function linesOf({ type, columns }: Table, rows: readonly Item[]): string {
  return type === CSV_TYPE ? csvLines(columns, rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

function headOf({ type, columns }: Table): string {
  return type === CSV_TYPE ? csvHeader(columns) : "";
}

/** Returns a link by RFC 8288 to the next page of the same list. */
function linkToNext(requestUrl: string, cursor: string): string {
  const url = new URL(requestUrl);
  url.searchParams.set("cursor", cursor);
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/**
 * Answers one page of a list as a table.
 *
 * @param page the JSON answer of the list's route. A table has no place for its `nextCursor`, so the header `Link` has
 * it.
 */
export function tableOfPage(table: Table, page: unknown, requestUrl: string): Response {
  const parsed = pageSchema.parse(page);
  const { nextCursor } = parsed;
  return new Response(headOf(table) + linesOf(table, rowsOf(parsed)), {
    headers: {
      "content-type": CONTENT_TYPES[table.type],
      ...(nextCursor !== null && { link: linkToNext(requestUrl, nextCursor) }),
    },
  });
}

/**
 * Answers a whole list as a table. It reads a page once the reader has taken the one before, and after a pause. If a page cannot be read,
 * the body breaks off, so that no reader takes a part for the whole.
 *
 * @param onFailure takes the cause of a break.
 */
export function wholeTable(
  table: Table,
  firstPage: unknown,
  readPage: ReadPage,
  onFailure: (cause: string) => void,
): Response {
  const encoder = new TextEncoder();
  const first = pageSchema.parse(firstPage);
  let cursor = first.nextCursor;
  let text = headOf(table) + linesOf(table, rowsOf(first));
  /** Reads on until there is text: a page of a filtered list may be empty. */
  const readOn = async () => {
    while (text === "" && cursor !== null) {
      await sleep(PAUSE_MS);
      const read = await readPage(cursor);
      if (!read.ok) throw new Error(read.error.detail);
      const page = pageSchema.parse(read.value);
      text = linesOf(table, rowsOf(page));
      cursor = page.nextCursor;
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      await readOn();
      if (text !== "") controller.enqueue(encoder.encode(text));
      text = "";
      if (cursor === null) controller.close();
    } catch (error) {
      onFailure(String(error));
      controller.error(new Error("the list could not be read to its end"));
    }
  };
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": CONTENT_TYPES[table.type] } });
}
