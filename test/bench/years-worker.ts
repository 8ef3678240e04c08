import type { Context } from "hono";
import * as z from "zod";
import type { Deps } from "../../shared/bindings/deps.ts";
import type { FundObject } from "../../shared/bindings/fund.ts";
import type { FundArchiveObject } from "../../shared/bindings/fund-archive.ts";
import { fromBase64, toBase64 } from "../../shared/crypto/base64.ts";
import type { Outcome } from "../../shared/errors.ts";
import type { SponsorInput } from "../../shared/fund/sui/engine/sponsor-input.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { NO_LIMITS } from "../../shared/policy/fund-policy-defaults.ts";

/**
 * Stands in for `/health` in the build of the benches `years` and `lists`. Its queries call the fund's object as the service does, so
 * that a million sponsorships need no million requests.
 */

const AT_ONCE = 64;
const PAGE_ROWS = 500;
const BUDGET_MIST = 5_000_000n;
const KEY_DIGITS = 20;
const ADDRESS_DIGITS = 64;
const DIGITS = 8;
const MAX_RETRIES = 30;
const RETRY_AFTER_MS = 1_000;

const digits = z.coerce.number().int().min(0);
const commandSchema = z.discriminatedUnion("do", [
  /**
   * Prepares `count` sponsorships and abandons them, all but each `every`th. `sender` signs those, and their bytes are
   * returned. The keys and the senders of the others take turns. `refused` calls are refused besides.
   */
  z.object({
    do: z.literal("drive"),
    fund: z.string(),
    kind: z.string(),
    sender: z.string(),
    from: digits,
    count: digits,
    every: digits,
    keys: digits,
    senders: digits,
    refused: digits,
  }),
  /** Reads the fund's metrics, which the service keeps for some seconds. */
  z.object({ do: z.literal("metrics"), fund: z.string() }),
  z.object({ do: z.literal("execute"), fund: z.string(), digest: z.string(), signature: z.string() }),
  z.object({ do: z.literal("status"), fund: z.string(), digests: z.string() }),
  z.object({
    do: z.literal("list"),
    fund: z.string(),
    list: z.enum(["sponsorships", "ledger"]),
    cursor: z.string().nullable().default(null),
    pages: digits,
  }),
]);
type Command = z.output<typeof commandSchema>;

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  return results;
}

/** Repeats a call that is refused. On a busy machine a node, or a coin, may not be there in time. */
async function untilDone<T>(call: () => Promise<Outcome<T>>): Promise<T> {
  for (let retries = 0; ; retries++) {
    const answer = await call();
    if (answer.ok) return answer.value;
    if (retries === MAX_RETRIES) throw new Error(JSON.stringify(answer.error));
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
  }
}

/** The kind with its placeholder of zeros replaced by a number, so that no two transactions are the same. */
function kindOf(template: Uint8Array, number: number): Uint8Array {
  const zeros = new TextEncoder().encode("0".repeat(DIGITS));
  const at = template.findIndex((_, index) => zeros.every((byte, offset) => template[index + offset] === byte));
  if (at === -1) throw new Error("the kind has no placeholder");
  const kind = template.slice();
  kind.set(new TextEncoder().encode(String(10 ** (DIGITS - 1) + number)), at);
  return kind;
}

async function drive(fund: FundObject, command: Extract<Command, { do: "drive" }>) {
  const { kind, sender, from, count, every, keys, senders, refused } = command;
  const template = fromBase64(kind);
  if (template === null) throw new Error("the kind is no Base64");
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const inputOf = (number: number): SponsorInput => ({
    keyId: `key_${hex(number % keys, KEY_DIGITS)}`,
    keyPolicy: NO_LIMITS,
    idempotency: null,
    kindBytes: kindOf(template, number),
    sender: number % every === 0 ? sender : `0x${hex(1 + (number % senders), ADDRESS_DIGITS)}`,
    gasBudgetMist: BUDGET_MIST,
    maxGasBudgetMist: null,
    gasPriceMist: null,
    lastEpoch: null,
  });
  const rows = await inTurns(numbers, async (number) => {
    const { digest, txBytes } = await untilDone(() => fund.prepareExecution(inputOf(number)));
    if (number % every === 0) return { digest, txBytes: toBase64(txBytes) };
    await fund.abandon(digest, null);
    return { digest, txBytes: null };
  });
  await inTurns(numbers.slice(0, refused), (number) =>
    fund.prepareExecution({ ...inputOf(number), gasBudgetMist: 1n, requestId: `bench-${number}` }),
  );
  return { digests: rows.map(({ digest }) => digest), open: rows.filter(({ txBytes }) => txBytes !== null) };
}

/** Sums of some pages, and what was in them. */
async function list(fund: FundObject, command: Extract<Command, { do: "list" }>) {
  let { cursor } = command;
  const sums = { rows: 0, balance: 0n, inFlight: 0n, fees: 0n, charged: 0n };
  const digests: string[] = [];
  for (let page = 0; page < command.pages; page++) {
    const asked = { limit: PAGE_ROWS, cursor };
    if (command.list === "ledger") {
      const rows = await fund.ledger(asked);
      for (const { kind, balanceAtoms, inFlightAtoms, accruedFeesAtoms } of rows?.items ?? []) {
        if (kind === "charge") sums.charged -= balanceAtoms;
        sums.balance += balanceAtoms;
        sums.inFlight += inFlightAtoms;
        sums.fees += accruedFeesAtoms;
      }
      sums.rows += rows?.items.length ?? 0;
      cursor = rows?.nextCursor ?? null;
    } else {
      const rows = await fund.sponsorships(asked);
      for (const { digest, chargedAtoms } of rows?.items ?? []) {
        digests.push(digest);
        sums.charged += chargedAtoms ?? 0n;
      }
      sums.rows += rows?.items.length ?? 0;
      cursor = rows?.nextCursor ?? null;
    }
    if (cursor === null) break;
  }
  const shown = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, String(sum)]));
  return { cursor, digests, sums: shown };
}

type Archives = (name: string) => Pick<FundArchiveObject, "sponsorships">;

/** The status of each digest as a caller sees it, and whether an archive has its row. */
async function statuses(fund: FundObject, names: readonly string[], archives: Archives, digests: readonly string[]) {
  const found = await Promise.all(names.map((name) => archives(name).sponsorships(digests)));
  const answers = await inTurns(digests, (digest) => fund.status(digest));
  return answers.map((answer, index) => ({
    status: answer.ok ? answer.value : answer.error.reason,
    archived: found.some((rows) => rows[index]?.name === digests[index]),
  }));
}

async function run(fund: FundObject, archives: Archives, command: Command): Promise<unknown> {
  switch (command.do) {
    case "drive":
      return drive(fund, command);
    case "execute": {
      const { digest, signature: senderSignature } = command;
      const input = { digest, senderSignature, waitForLocalExecution: false, idempotency: null };
      const executed = await untilDone(() => fund.execute(input));
      return { success: executed.execution.success };
    }
    case "status":
      return statuses(fund, await fund.archiveNames(), archives, command.digests.split(","));
    case "list":
      return list(fund, command);
    case "metrics":
      return { read: (await fund.metrics()) !== null };
  }
}

/** Answers a query of the bench, and any other request as a live service does. */
export function health(_deps: Deps): (c: Context<AppEnv>) => Promise<Response> {
  return async (c) => {
    const command = commandSchema.safeParse(c.req.query());
    if (!command.success) return c.json({ status: "ok" });
    const archives: Archives = (name) => c.env.FUND_ARCHIVE.getByName(name);
    try {
      return c.json(await run(c.env.FUND.getByName(command.data.fund), archives, command.data));
    } catch (error) {
      return c.json({ error: String(error) }, 500);
    }
  };
}
