import { expect } from "vitest";
import * as z from "zod";
import { expectAnswer, type HttpAnswer } from "../../shared/cli/client/http.ts";
import { admin, chainUrl, harness, sui } from "../harness/harness.ts";
import { everyRow } from "./admin-lists.ts";
import { type FundFigures, figuresSchema, readFigures, readSui } from "./figures.ts";

/** What an operator sees and does, over the admin API. Amounts are MIST. */

const mist = z
  .string()
  .regex(/^-?(0|[1-9][0-9]*)$/)
  .transform(BigInt);
export function figuresOf(fundId: string): Promise<FundFigures> {
  return readFigures(harness, fundId);
}

/** @returns the fund as it is from the next call on. */
export async function patchFund(fundId: string, fields: object): Promise<FundFigures> {
  return expectAnswer("changing the fund", await admin("PATCH", `/funds/${fundId}`, fields), figuresSchema);
}

export async function patchKey(keyId: string, fields: object): Promise<void> {
  expectAnswer("changing the key", await admin("PATCH", `/keys/${keyId}`, fields), z.object({}));
}

export interface Payout {
  readonly to: string;
  readonly amountMist: bigint;
  readonly from?: "available" | "fees";
}

/** As it is answered, refusals included. */
export function withdraw(
  fundId: string,
  { amountMist, ...rest }: Payout,
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  return admin("POST", `/funds/${fundId}/withdraw`, { ...rest, amount: amountMist.toString() }, idempotencyKey);
}

const withdrawalSchema = z.strictObject({ digest: z.string(), state: z.enum(["pending", "complete"]) });

/** A withdrawal that must be taken on. */
export async function withdrawn(fundId: string, payout: Payout, idempotencyKey: string) {
  const answer = await withdraw(fundId, payout, idempotencyKey);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return expectAnswer("the withdrawal", answer, withdrawalSchema);
}

const revokedSchema = z.strictObject({
  revoked: z.int(),
  tooLate: z.int(),
  irrevocable: z.int(),
  pending: z.int(),
});

/** Revokes an access key, or a whole fund, with everything that is out. */
export async function revoke(what: "keys" | "funds", id: string): Promise<z.output<typeof revokedSchema>> {
  const answer = await admin("POST", `/${what}/${id}/revoke`, { outstanding: true });
  return expectAnswer("the revocation", answer, revokedSchema);
}

const reconciliationSchema = z.object({
  exact: z.boolean(),
  bookedCoins: mist,
  coinsOnChain: mist,
  bookedAddressBalance: mist,
  addressBalanceOnChain: mist,
  differences: z.array(z.unknown()),
});

/** A fund may make several transactions of its own in a row, and each of them moves what is compared. */
const RECONCILIATIONS = 20;

/** The fund's own comparison with the chain must find nothing, and must have looked at what the stock client sees. */
export async function expectReconciled({ fundId, depositAddress }: { fundId: string; depositAddress: string }) {
  for (let tries = 1; ; tries += 1) {
    const { balance: beforeMist } = await figuresOf(fundId);
    const answer = await admin("POST", `/funds/${fundId}/reconcile`);
    const compared = expectAnswer("the reconciliation", answer, reconciliationSchema);
    const ownedMist = await suiOf(depositAddress);
    const { balance: afterMist } = await figuresOf(fundId);
    const comparedMist = compared.bookedCoins + compared.bookedAddressBalance;
    // The fund may be at work: what moves meanwhile is compared with nothing.
    const isAtRest = beforeMist === afterMist && comparedMist === ownedMist;
    if (!isAtRest && tries < RECONCILIATIONS) continue;
    expect(compared).toMatchObject({ exact: true, differences: [] });
    expect(comparedMist).toBe(ownedMist);
    expect(afterMist).toBe(ownedMist);
    return compared;
  }
}

const ledgerRowSchema = z.object({
  kind: z.string(),
  reference: z.string(),
  keyId: z.string().nullable(),
  balance: mist,
  addressBalance: mist,
  inFlight: mist,
  accruedFees: mist,
});
export type LedgerRow = z.output<typeof ledgerRowSchema>;

/** Every row, newest first. */
export function ledgerOf(fundId: string): Promise<readonly LedgerRow[]> {
  return everyRow(harness, `/funds/${fundId}/ledger`, ledgerRowSchema);
}

/** What an address owns on chain, in every form, after all that was executed until now. */
export function suiOf(owner: string): Promise<bigint> {
  return readSui(chainUrl, sui, owner);
}
