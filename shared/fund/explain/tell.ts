import { timeOfRequestId } from "../../http/request-id.ts";
import type { FundEngine } from "../engine.ts";
import type { LedgerRow } from "../ledger/books.ts";
import type { SponsorshipFilter } from "../lists/filter.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { type ExplainedSponsorship, type FundStory, MAX_STORY_ROWS, type StoryQuery } from "./story.ts";
import { ledgerOfSponsorship, ledgerOfTreasury } from "./story-ledger.ts";

/** A filtered page may be empty and have a next one. */
const MAX_PAGES = 10;
/** The upper bound of the duration of a call. */
const MADE_WITHIN_MS = 600_000;
/** The upper bound of the difference of clocks, of the edge and the fund, and of times in neighbouring rows. */
const DISORDER_MS = 60_000;
const PAGE = { limit: MAX_STORY_ROWS, cursor: null };

/**
 * Collects everything that a fund knows about a question. Reads rows, archives and refusals, and changes nothing.
 *
 * @throws `ARCHIVE_SILENT` if an archive does not answer.
 */
export async function tellStory(
  engine: FundEngine,
  refusals: Pick<RefusalLog, "list">,
  query: StoryQuery,
): Promise<FundStory> {
  const { fundId, projectId, network } = engine.core.record;
  const refused = refusals.list({ ...PAGE, ...refusalFilter(query) }).items;
  const named = query.by === "digest" ? [query.digest] : await sponsorshipsNamed(engine, query);
  const sponsorships: ExplainedSponsorship[] = [];
  for (const name of named) {
    const found = await engine.explain(name);
    if (found !== null) sponsorships.push(found);
  }
  const ledger: LedgerRow[] = [];
  for (const row of sponsorships) ledger.push(...(await ledgerOfSponsorship(engine.rows, row)));
  if (query.by === "digest" && sponsorships.length === 0)
    ledger.push(...(await ledgerOfTreasury(engine, query.digest)));
  const chain = query.by === "digest" && query.askNodes ? await engine.onChain(query.digest) : null;
  return { fundId, projectId, network, sponsorships, refusals: refused, ledger, chain };
}

function refusalFilter(query: StoryQuery) {
  switch (query.by) {
    case "digest":
      return { digest: query.digest };
    case "request":
      return { requestId: query.requestId };
    case "sender":
      return { sender: query.sender, fromMs: query.fromMs, toMs: query.toMs };
  }
}

/**
 * Returns the filter for the sponsorships that a question names. A request id contains its time, so few rows are
 * examined.
 */
function sponsorshipFilter(query: StoryQuery): SponsorshipFilter | null {
  const any = { sender: null, keyId: null, states: null };
  if (query.by === "sender") return { ...any, sender: query.sender, fromMs: query.fromMs, toMs: query.toMs };
  const atMs = query.by === "request" ? timeOfRequestId(query.requestId) : null;
  if (query.by === "digest" || atMs === null) return null;
  const span = { fromMs: atMs - DISORDER_MS, toMs: atMs + MADE_WITHIN_MS, disorderMs: DISORDER_MS };
  return { ...any, ...span, requestId: query.requestId };
}

/** Lists the digests of the sponsorships of a request, or of a sender at a time. */
async function sponsorshipsNamed({ rows }: FundEngine, query: StoryQuery): Promise<readonly string[]> {
  const filter = sponsorshipFilter(query);
  if (filter === null) return [];
  const found: string[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES && found.length < MAX_STORY_ROWS; pages += 1) {
    const page: Awaited<ReturnType<typeof rows.sponsorships>> = await rows.sponsorships({ ...PAGE, cursor, filter });
    found.push(...page.items.map(({ digest }) => digest));
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return found.slice(0, MAX_STORY_ROWS);
}
