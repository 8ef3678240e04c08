/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Opaque. Null on the last page. */
  readonly nextCursor: string | null;
}

/** Cursors of an object's own list are the sequence number of the last row shown. */
export const CURSOR = /^[1-9][0-9]{0,14}$/;

/** A page of the rows that a filter selects. It may be short, or empty, and have a next one. */
export interface FilteredPage<Item> extends Page<Item> {
  /** Set if the object has applied the filter of the request. One of an earlier build has not. */
  readonly isFiltered?: true;
  /** Set if it has also applied the fields of the filter that an earlier build ignores. */
  readonly isWholeFilter?: true;
}

/** A request for a page. */
export interface PageRequest {
  readonly limit: number;
  /** `nextCursor` of the page before, already checked against `CURSOR`. Null for the first page. */
  readonly cursor: string | null;
}

/** A page of a filtered list. An absent or null filter selects all rows. */
export interface FilteredRequest<Filter> extends PageRequest {
  readonly filter?: Filter | null;
}

/** A request for a page of a filtered list, or for the sums of its rows from the cursor on. */
export interface SummableRequest<Filter> extends FilteredRequest<Filter> {
  /** An earlier build answers a page instead. */
  readonly wantsSums?: true;
}

/** A page of a filtered list. It has the sums of rows instead of the rows if the request wants them. */
export interface SummedPage<Item, Sums> extends FilteredPage<Item> {
  readonly sums?: Sums;
}

/**
 * Makes a page. `rows` were read with a limit of one more than the page. That row shows whether there is a next page.
 */
export function pageOf<Row extends { readonly seq: number }, Item>(
  rows: readonly Row[],
  limit: number,
  itemOf: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(itemOf), nextCursor: rows.length > limit && last ? String(last.seq) : null };
}

/** Yields the same items in order, at most `size` at a time. */
export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Yields every item of a list that is read a page at a time. */
export async function* everyItem<Item>(
  readPage: (cursor: string | null) => Promise<Page<Item> | null>,
): AsyncGenerator<Item> {
  let cursor: string | null = null;
  do {
    const page: Page<Item> | null = await readPage(cursor);
    yield* page?.items ?? [];
    cursor = page?.nextCursor ?? null;
  } while (cursor !== null);
}
