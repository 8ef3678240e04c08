import type { Context } from "hono";
import * as z from "zod";
import type { Deps } from "../../shared/bindings/deps.ts";
import type { FundObject } from "../../shared/bindings/fund.ts";
import { fromBase64, toBase64 } from "../../shared/crypto/base64.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { NO_LIMITS } from "../../shared/policy/fund-policy-defaults.ts";

/**
 * Stands in for `/health` in the build of the bench `years`. Its queries call the fund's object as the service does, so
 * that a million sponsorships need no million requests.
 */

const AT_ONCE = 32;
const PAGE_ROWS = 500;
const BUDGET_MIST = 5_000_000n;
const KEY_ID = "key_00000000000000000000";
const DIGITS = 8;
const MAX_RETRIES = 5;

const digits = z.coerce.number().int().min(0);
const commandSchema = z.discriminatedUnion("do", [
  /** Prepares `count` sponsorships and abandons them, all but each `every`th, whose bytes are returned. */
  z.object({
    do: z.literal("drive"),
    fund: z.string(),
    kind: z.string(),
    sender: z.string(),
    from: digits,
    count: digits,
    every: digits,
  }),
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

async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  return results;
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

async function drive(fund: FundObject, { kind, sender, from, count, every }: Extract<Command, { do: "drive" }>) {
  const template = fromBase64(kind);
  if (template === null) throw new Error("the kind is no Base64");
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const rows = await inTurns(numbers, async (number) => {
    const prepare = () =>
      fund.prepareExecution({
        keyId: KEY_ID,
        keyPolicy: NO_LIMITS,
        idempotency: null,
        kindBytes: kindOf(template, number),
        sender,
        gasBudgetMist: BUDGET_MIST,
        maxGasBudgetMist: null,
        gasPriceMist: null,
        lastEpoch: null,
      });
    let prepared = await prepare();
    // On a busy machine a node, or a coin, may not be there in time.
    for (let retry = 0; !prepared.ok && retry < MAX_RETRIES; retry++) prepared = await prepare();
    if (!prepared.ok) throw new Error(JSON.stringify(prepared.error));
    const { digest, txBytes } = prepared.value;
    if (number % every === 0) return { digest, txBytes: toBase64(txBytes) };
    await fund.abandon(digest, null);
    return { digest, txBytes: null };
  });
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

async function run(fund: FundObject, command: Command): Promise<unknown> {
  switch (command.do) {
    case "drive":
      return drive(fund, command);
    case "execute": {
      const { digest, signature: senderSignature } = command;
      const executed = await fund.execute({ digest, senderSignature, waitForLocalExecution: false, idempotency: null });
      if (!executed.ok) throw new Error(JSON.stringify(executed.error));
      return { success: executed.value.execution.success };
    }
    case "status":
      return inTurns(command.digests.split(","), async (digest) => {
        const status = await fund.status(digest);
        return status.ok ? status.value : status.error.reason;
      });
    case "list":
      return list(fund, command);
  }
}

/** Answers a query of the bench, and any other request as a live service does. */
export function health(_deps: Deps): (c: Context<AppEnv>) => Promise<Response> {
  return async (c) => {
    const command = commandSchema.safeParse(c.req.query());
    if (!command.success) return c.json({ status: "ok" });
    try {
      return c.json(await run(c.env.FUND.getByName(command.data.fund), command.data));
    } catch (error) {
      return c.json({ error: String(error) }, 500);
    }
  };
}
