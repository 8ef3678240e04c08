import { afterEach, beforeEach, expect, vi } from "vitest";
import { RECOVERING, type RecoveryView, STATE_BEHIND_CHAIN } from "../../../../shared/fund/views.ts";
import { alterAptos, atOurTime } from "../../../byzantine-node/altered-aptos-node.ts";
import { APT_OCTAS, chainTimeMs, type Draft, draftOf, newUser, submitDraft } from "../../../support/aptos-chain.ts";
import {
  aptosSponsor,
  expectQuiet,
  granted,
  landed,
  newAptosFund,
  reasonOf,
  sponsored,
} from "../../../support/aptos-fund.ts";
import { AMOUNT_OCTAS } from "../../../support/aptos-withdrawals.ts";
import { type FundCopy, putBack } from "../../../support/restore.ts";
import { HOUR_MS, liveFor, MINUTE_MS, stub, type TestFund, until } from "../../../support/sui-fund.ts";

/** The time for which forgotten signatures of these tests can execute, by the chain's real clock. */
const SIGNATURE_SECS = 6;

/** The service's clock stands still at the chain's own time, so that signatures expire on the chain too. */
export function useClockOfChain(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    alterAptos(atOurTime);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

export const newFundToRestore = () => newAptosFund(20n * APT_OCTAS);

/** A transaction of a new user that expires soon. */
function shortDraft(lifeSecs: number): Draft {
  return draftOf(newUser(), { expirationSecs: BigInt(Math.floor(Date.now() / 1_000) + lifeSecs) });
}

export interface Forgotten {
  readonly draft: Draft;
  readonly authenticator: Uint8Array;
}

/** Makes signatures that nobody submits yet. */
export async function signaturesOut(
  fund: TestFund,
  count: number,
  lifeSecs = SIGNATURE_SECS,
): Promise<readonly Forgotten[]> {
  const forgotten: Forgotten[] = [];
  for (let made = 0; made < count; made += 1) {
    const draft = shortDraft(lifeSecs);
    forgotten.push({ draft, authenticator: await sponsored(fund, draft) });
  }
  return forgotten;
}

export async function executeMany(fund: TestFund, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await landed(fund, draftOf(newUser()));
}

export async function recover(fund: TestFund): Promise<RecoveryView> {
  const outcome = await stub(fund).recover();
  if (outcome === null) throw new Error("there is no such fund");
  return granted(outcome);
}

/** The fund has paused by itself, said why, and neither sponsors nor pays out. */
export async function expectPausedByItself(fund: TestFund): Promise<void> {
  expect(await stub(fund).view()).toMatchObject({
    pausedCause: STATE_BEHIND_CHAIN,
    recovery: { state: "needed", evidence: expect.stringContaining("no row of the fund knows") },
  });
  const refused = await aptosSponsor(fund, draftOf(newUser()));
  expect(refused).toMatchObject({ error: { reason: "fund_paused", details: expect.stringContaining("/recover") } });
  const idempotency = { scope: "operator withdraw too early", fingerprint: "" };
  const withdrawal = { to: newUser().address, amountAtoms: AMOUNT_OCTAS, from: "available", idempotency } as const;
  expect(reasonOf((await stub(fund).withdraw(withdrawal)) ?? { ok: true, value: null })).toBe("fund_paused");
}

/** Recovers a fund, and tries every signature that it has forgotten once the fund is open again. */
export async function recoverAndTry(fund: TestFund, forgotten: readonly Forgotten[]): Promise<RecoveryView> {
  expect(await recover(fund)).toMatchObject({ state: "waiting" });
  expect(await stub(fund).view()).toMatchObject({ pausedCause: RECOVERING });
  await liveFor(fund, HOUR_MS - 2 * MINUTE_MS);
  expect(await stub(fund).view(), "nobody opens the fund early").toMatchObject({ pausedCause: RECOVERING });
  await liveFor(fund, 10 * MINUTE_MS);
  const { recovery, pausedCause } = (await stub(fund).view()) ?? {};
  expect({ recovery, pausedCause }).toMatchObject({
    recovery: { state: "done", openReferences: 0 },
    pausedCause: null,
  });
  await expectQuiet(fund);
  for (const { draft, authenticator } of forgotten) {
    // The service's clock is an hour ahead by now. The chain's own clock decides what it executes.
    await until(async () => (await chainTimeMs()) > draft.expiresAtMs);
    expect(await submitDraft(draft, fund.address, authenticator)).toContain("TRANSACTION_EXPIRED");
  }
  await expectQuiet(fund);
  if (!recovery) throw new Error("there was no recovery");
  return recovery;
}

/** So many sponsorships after a copy, half of them not submitted yet when the copy is put back. */
export async function restoreAfter(fund: TestFund, copy: FundCopy, count: number): Promise<readonly Forgotten[]> {
  const executed = Math.ceil(count / 2);
  await executeMany(fund, executed);
  const forgotten = await signaturesOut(fund, count - executed);
  await putBack(fund, copy);
  return forgotten;
}
