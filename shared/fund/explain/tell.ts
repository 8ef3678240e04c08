import type { FundEngine } from "../engine.ts";
import type { LedgerRow } from "../ledger/books.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { type ExplainedSponsorship, type FundStory, MAX_STORY_ROWS, type StoryQuery } from "./story.ts";
import { ledgerOfSponsorship, ledgerOfTreasury } from "./story-ledger.ts";

/** A filtered page may be empty and have a next one. */
const MAX_PAGES = 10;
const PAGE = { limit: MAX_STORY_ROWS, cursor: null };

/**
 * Collects everything that a fund knows about a question. It reads rows, archives and refusals, and changes nothing.
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

/** Lists the digests of the sponsorships of a sender at a time. A request id names only refused calls. */
async function sponsorshipsNamed({ rows }: FundEngine, query: StoryQuery): Promise<readonly string[]> {
  if (query.by !== "sender") return [];
  const { sender, fromMs, toMs } = query;
  const filter = { fromMs, toMs, sender, keyId: null, states: null };
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
