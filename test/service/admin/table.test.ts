import { expect, test, vi } from "vitest";
import { type ReadPage, tableOfPage, wholeTable } from "../../../functions/service/admin/route/table.ts";
import { readCsv } from "../../support/read-csv.ts";

const CSV = { type: "text/csv", columns: ["n"] } as const;
const NDJSON = { type: "application/x-ndjson", columns: ["n"] } as const;
const URL_OF_LIST = "https://service.example/admin/v1/projects?limit=2&cursor=9";

const itemsOf = (...numbers: number[]) => numbers.map((n) => ({ n }));

/** Pages of a list. The cursor of a page is its index. */
function pagesOf(pages: readonly (readonly number[])[], reads: string[] = []): { first: unknown; readPage: ReadPage } {
  const at = (index: number) => ({
    items: itemsOf(...(pages[index] ?? [])),
    nextCursor: index + 1 < pages.length ? String(index + 1) : null,
  });
  const readPage: ReadPage = async (cursor) => {
    reads.push(cursor);
    return { ok: true, value: at(Number(cursor)) };
  };
  return { first: at(0), readPage };
}

function never(cause: string): never {
  throw new Error(cause);
}

test("a whole list is one table of all its pages, empty ones included", async () => {
  for (const pages of [[[1, 2], [], [], [3], []], [[], [], [4]], [[]]]) {
    const { first, readPage } = pagesOf(pages);
    const csv = wholeTable(CSV, first, readPage, never);
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(readCsv(await csv.text())).toEqual([["n"], ...pages.flat().map((n) => [String(n)])]);
    const lines = wholeTable(NDJSON, first, readPage, never);
    expect(lines.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    const text = await lines.text();
    expect(
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(itemsOf(...pages.flat()));
  }
});

test("a download leaves an object time for other calls between two pages", async () => {
  vi.useFakeTimers();
  try {
    const reads: string[] = [];
    const { first, readPage } = pagesOf([[1], [2], [3]], reads);
    const text = wholeTable(NDJSON, first, readPage, never).text();
    await vi.advanceTimersByTimeAsync(119);
    expect(reads).toEqual([]);
    await vi.advanceTimersByTimeAsync(120);
    expect(reads).toEqual(["1"]);
    await vi.advanceTimersByTimeAsync(120);
    expect(await text).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
  } finally {
    vi.useRealTimers();
  }
});

test("no page is read before the reader has taken the one before, and none once it has gone", async () => {
  const reads: string[] = [];
  const { first, readPage } = pagesOf([[1], [2], [3], [4]], reads);
  const reader = wholeTable(NDJSON, first, readPage, never).body?.getReader();
  const readsAfter = async (step: Promise<unknown> | undefined) => {
    await step;
    // All that could go on by itself has gone on.
    await new Promise((resolve) => setImmediate(resolve));
    return [...reads];
  };
  expect(await readsAfter(undefined)).toEqual([]);
  expect(await readsAfter(reader?.read())).toEqual([]);
  expect(await readsAfter(reader?.read())).toEqual(["1"]);
  expect(await readsAfter(reader?.cancel())).toEqual(["1"]);
});

test("a list that cannot be read to its end breaks off, after all that was read", async () => {
  const { first } = pagesOf([[1], [2]]);
  for (const readPage of [
    async () => ({ ok: false, error: { status: 503, detail: "an archive is silent" } }) as const,
    async () => never("an archive is silent"),
  ]) {
    const causes: string[] = [];
    const response = wholeTable(NDJSON, first, readPage, (cause) => causes.push(cause));
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{"n":1}\n');
    await expect(reader?.read()).rejects.toThrow("could not be read to its end");
    expect(causes).toEqual(["Error: an archive is silent"]);
  }
});

test("a page names the next one in a link, and unreadable items as rows of their own", async () => {
  const page = { items: itemsOf(1), nextCursor: "7", unreadable: ["fund_1"] };
  const next = tableOfPage({ ...NDJSON, columns: ["n", "id", "unreadable"] }, page, URL_OF_LIST);
  expect(next.headers.get("link")).toBe('</admin/v1/projects?limit=2&cursor=7>; rel="next"');
  expect(await next.text()).toMatch(/^\{"n":1\}\n\{"id":"fund_1","unreadable":"cannot be read: [^"]*"\}\n$/);
  const last = tableOfPage(CSV, { items: [], nextCursor: null }, URL_OF_LIST);
  expect(last.headers.get("link")).toBeNull();
});
