import * as z from "zod";
import type { Deps } from "../../../../shared/bindings/deps.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import {
  causeOfNothing,
  causeOfRefusal,
  causeOfSponsorship,
  causeOfUnknown,
  REVOCATION_LAG_MS,
  type Revocation,
} from "../../../../shared/fund/explain/cause.ts";
import type { ExplainedSponsorship, FundStory, StoryQuery } from "../../../../shared/fund/explain/story.ts";
import { chainOf, isSuiNetwork } from "../../../../shared/networks.ts";
import { inTime } from "../../../../shared/timing.ts";
import { refusedCallSchema, showRefusedCall } from "../funds/refusals.ts";
import { ledgerRowSchema, showLedgerRow, showSponsorship, sponsorshipSchema } from "../funds/schema.ts";
import { fund, instant, iso, project } from "../route/fields.ts";
import { addressSchema, optional, refuseQuery } from "../route/filters.ts";
import { type Answer, answer, noBody, notFound, type Resource, type Route, route } from "../route/route.ts";
import { findStories, OneSearch, type SearchScope } from "./find.ts";
import { withdrawals } from "./withdrawals.ts";

const transaction: Resource = {
  name: "transaction",
  idSchema: z.string().regex(/^(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{32,44})$/),
};
const MAX_SPAN_MS = 31 * 86_400_000;
const AUDIT_ROWS = 200;
const AUDIT_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

const abortSchema = z.object({
  package: z.string(),
  module: z.string(),
  function: z.string().nullable(),
  code: z.string(),
  constant: z.string().nullable().describe("null: the chain does not show its name"),
  command: z.int().nullable(),
});

const chainSchema = z.object({
  endpoint: z.string().nullable().describe("the host of the node; null: none answered"),
  execution: z
    .object({
      success: z.boolean(),
      failure: z.string().nullable(),
      abort: abortSchema.nullable(),
      gas: z.record(z.string(), z.string()).describe("the parts of the gas by their names on the chain"),
      ledgerPlace: z.string().nullable().describe("the checkpoint on Sui, the version on Aptos"),
      at: instant.nullable(),
    })
    .nullable()
    .describe("null: the node does not show it"),
});

const storySchema = z.object({
  fundId: fund.idSchema,
  projectId: project.idSchema,
  network: z.string(),
  causes: z.array(z.string()).readonly().describe("what happened, in plain words; one for each row, newest first"),
  sponsorships: z
    .array(
      sponsorshipSchema.extend({
        signedAt: instant.nullable(),
        gasObjectId: z.string().nullable(),
        commands: z.array(z.string()).readonly().nullable().describe("the kinds of its commands; null: not known"),
        endpoint: z.string().nullable().describe("the host of the node by which it was settled"),
        ledgerPlace: z.string().nullable().describe("the checkpoint on Sui, the version on Aptos, as it was settled"),
        executedAt: instant.nullable().describe("the chain's time"),
        failure: z.string().nullable().describe("the node's words, if no Move code aborted"),
        abort: abortSchema.nullable(),
      }),
    )
    .readonly(),
  refusals: z.array(refusedCallSchema).readonly(),
  ledger: z.array(ledgerRowSchema).readonly().describe("each step of the money with its time, oldest first"),
  revocations: z
    .array(z.object({ at: instant, action: z.string(), target: z.string() }))
    .readonly()
    .describe("what operators revoked since the sponsorship was made, by the audit log"),
  isWhole: z.boolean().describe("false: the audit log was not read"),
  chain: chainSchema.nullable().describe("what a node shows now; null: nodes were not asked"),
});

const resultSchema = z.object({
  cause: z.string().describe("what happened, in plain words"),
  isOnlyOnChain: z.boolean().describe("true: no fund of this service knows it, all were read, and a node shows it"),
  stories: z.array(storySchema).readonly(),
  walletRefusals: z
    .array(refusedCallSchema)
    .readonly()
    .describe("the refused calls of wallets that a request id names; a project keeps the last 1,000"),
  fundsSearched: z.int(),
  isComplete: z.boolean().describe("false: more funds than one call reads: name a project or a fund"),
  unreadable: z.array(z.string()).readonly().describe("projects and funds that did not answer"),
});

/** The story of a transaction, as the admin API shows it. */
export type Explained = z.input<typeof resultSchema>;

/**
 * Lists what operators revoked of a fund or its keys since a time. The newest 200 rows of the audit log are read.
 * Null if the project does not answer.
 */
async function revocationsOf(env: Env, { log }: Deps, story: FundStory): Promise<readonly Revocation[] | null> {
  const { projectId, fundId, network, sponsorships } = story;
  if (sponsorships.length === 0 || !isSuiNetwork(network)) return [];
  const sinceMs = Math.min(...sponsorships.map(({ createdAtMs }) => createdAtMs));
  const targets = new Set([fundId, ...sponsorships.map(({ keyId }) => keyId)]);
  const asked = env.PROJECT.getByName(projectId).audit({ limit: AUDIT_ROWS, cursor: null });
  const page = await inTime(AUDIT_MS, asked).catch((error: unknown) => {
    log("transactions.unreadable", { object: projectId, error: String(error) });
    return null;
  });
  if (page === null) return null;
  return withdrawals(page.items).filter(({ target, atMs }) => targets.has(target) && atMs >= sinceMs);
}

function showExplained(row: ExplainedSponsorship) {
  const { signedAtMs, gasObjectId, targets, trace = null, ledgerPlace = null } = row;
  return {
    ...showSponsorship({ ...row, targets }),
    signedAt: signedAtMs === null ? null : iso(signedAtMs),
    gasObjectId,
    commands: trace?.commands ?? null,
    endpoint: trace?.endpoint ?? null,
    ledgerPlace,
    executedAt: trace === null || trace.executedAtMs === null ? null : iso(trace.executedAtMs),
    failure: trace?.failure ?? null,
    abort: trace?.abort ?? null,
  };
}

function showChain({ chain }: FundStory): z.input<typeof chainSchema> | null {
  if (chain === null || chain.execution === null) return chain && { endpoint: chain.endpoint, execution: null };
  const { atMs, ...execution } = chain.execution;
  return { endpoint: chain.endpoint, execution: { ...execution, at: atMs === null ? null : iso(atMs) } };
}

async function showStory(env: Env, deps: Deps, story: FundStory): Promise<z.input<typeof storySchema>> {
  const { fundId, projectId, network, sponsorships, refusals, ledger, chain } = story;
  const known = await revocationsOf(env, deps, story);
  const revocations = known ?? [];
  /** A revocation after the end of a sponsorship has not ended it. */
  const ofLife = ({ createdAtMs, keyId, reference }: ExplainedSponsorship) => {
    const released = ledger.find((row) => row.kind === "release" && row.reference === reference);
    const untilMs = (released?.atMs ?? Number.POSITIVE_INFINITY) + REVOCATION_LAG_MS;
    return revocations.filter(
      ({ atMs, target }) => atMs >= createdAtMs && atMs <= untilMs && (target === fundId || target === keyId),
    );
  };
  return {
    fundId,
    projectId,
    network,
    causes: [
      ...sponsorships.map((row) => causeOfSponsorship(row, chainOf(network), chain, ofLife(row))),
      ...refusals.map((call) => causeOfRefusal(call)),
    ],
    sponsorships: sponsorships.map(showExplained),
    refusals: refusals.map(showRefusedCall),
    ledger: ledger.map(showLedgerRow),
    revocations: revocations.map(({ atMs, action, target }) => ({ at: iso(atMs), action, target })),
    isWhole: known !== null,
    chain: showChain(story),
  };
}

const search = new OneSearch();
const searchQuery = {
  project: optional(project.idSchema).describe("the only project whose funds are searched"),
  fund: optional(fund.idSchema).describe("the only fund that is searched"),
};

/** Explains one question at a time. Others are refused, because each may read every fund. */
async function tell(env: Env, deps: Deps, scope: SearchScope, query: StoryQuery): Promise<Answer<Explained>> {
  const told = await search.run(() => explain(env, deps, scope, query));
  if (told !== null) return told;
  const detail = "another search of transactions is under way: repeat the call in some seconds";
  return { ok: false, error: { status: 429, detail, retryAfterSeconds: RETRY_AFTER_SECONDS } };
}

async function explain(env: Env, deps: Deps, scope: SearchScope, query: StoryQuery): Promise<Answer<Explained>> {
  const found = await findStories(env, deps, scope, query);
  const { isComplete, fundsSearched, unreadable } = found;
  if (scope.fund !== null && fundsSearched + unreadable.length === 0) return notFound("fund");
  const stories = await Promise.all(found.stories.map((story) => showStory(env, deps, story)));
  const { walletRefusals } = found;
  const known = [...stories.flatMap(({ causes }) => causes), ...walletRefusals.map((call) => causeOfRefusal(call))];
  const shown = found.stories.find(({ chain }) => chain?.execution);
  const isOfAll = scope.project === null && scope.fund === null && isComplete && unreadable.length === 0;
  const fundsRead = isOfAll ? null : fundsSearched;
  const asked = shown ?? found.stories[0] ?? null;
  return answer({
    cause: known[0] ?? (query.by === "digest" ? causeOfUnknown(asked, fundsRead) : causeOfNothing(fundsRead)),
    isOnlyOnChain: isOfAll && known.length === 0 && shown !== undefined,
    stories,
    walletRefusals: walletRefusals.map(showRefusedCall),
    fundsSearched,
    isComplete,
    unreadable,
  });
}

/** The routes that explain what happened to a transaction. */
export const transactionRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/transactions/:id",
    summary:
      "Explain a transaction by its digest or hash, over all funds: its sponsorship, refusals, ledger rows, revocations, and what a node shows now",
    resource: transaction,
    body: noBody,
    query: z.strictObject(searchQuery),
    result: resultSchema,
    status: 200,
    handle: ({ env, deps, id, query }) => tell(env, deps, query, { by: "digest", digest: id, askNodes: false }),
  }),
  route({
    method: "GET",
    path: "/transactions",
    summary: "Explain what happened to a request by its x-request-id, or to a sender between two times, over all funds",
    resource: null,
    body: noBody,
    query: z.strictObject({
      ...searchQuery,
      requestId: optional(z.string().min(1).max(100)),
      sender: optional(addressSchema),
      from: optional(instant.transform((text) => Date.parse(text))),
      to: optional(instant.transform((text) => Date.parse(text))),
    }),
    result: resultSchema,
    status: 200,
    handle: async ({ env, deps, query: { requestId, sender, from, to, ...scope } }) => {
      if (requestId !== null && sender === null) return tell(env, deps, scope, { by: "request", requestId });
      if (requestId !== null || sender === null)
        return refuseQuery({ path: "requestId", message: "name requestId, or sender with from and to" });
      if (from === null || to === null || from >= to || to - from > MAX_SPAN_MS)
        return refuseQuery({ path: "from", message: "must be before to, by at most 31 days" });
      return tell(env, deps, scope, { by: "sender", sender, fromMs: from, toMs: to });
    },
  }),
];
