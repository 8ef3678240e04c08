import { expect } from "vitest";
import type { Sponsored } from "../../../../shared/fund/sui/engine/sponsor.ts";
import { type RecoveryView, STATE_BEHIND_CHAIN } from "../../../../shared/fund/views.ts";
import { NO_LIMITS } from "../../../../shared/policy/fund-policy-defaults.ts";
import { alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks } from "../../../support/fund-books.ts";
import { type FundCopy, putBack, recoverFully } from "../../../support/restore.ts";
import { give, SUBMIT } from "../../../support/sui-chain.ts";
import {
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFundWith,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  submitAsUser,
  type TestFund,
  withOurTime,
} from "../../../support/sui-fund.ts";

export type Mode = "coin" | "address_balance";
export const MODES = ["coin", "address_balance"] as const;

const AT_ONCE = 50;
export const OUTSIDE = `0x${"9".repeat(64)}`;

export async function newFundToRestore(mode: Mode): Promise<TestFund> {
  const fund = await newFundWith({ mode, policy: NO_LIMITS });
  await give(fund.address, 20n * SUI_MIST, mode);
  await stub(fund).refresh();
  return fund;
}

/** Makes signatures that nobody submits yet. */
export async function signaturesOut(fund: TestFund, count: number): Promise<readonly Sponsored[]> {
  const sponsored: Sponsored[] = [];
  while (sponsored.length < count) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - sponsored.length) }, (_, index) => `out ${index}`);
    sponsored.push(...(await Promise.all(names.map((name) => sponsor(fund, name)))));
  }
  return sponsored;
}

export async function executeMany(fund: TestFund, count: number): Promise<readonly Sponsored[]> {
  const executed = await signaturesOut(fund, count);
  await Promise.all(executed.map(executeOnChain));
  await liveFor(fund, 5 * SECOND_MS);
  return executed;
}

/** The signatures that a restored state has forgotten. */
export interface Forgotten {
  readonly executed: readonly Sponsored[];
  readonly open: readonly Sponsored[];
}

/** So many sponsorships after a copy, half of them not submitted yet when the copy is put back. */
export async function restoreAfter(fund: TestFund, copy: FundCopy, count: number): Promise<Forgotten> {
  const executed = await executeMany(fund, Math.ceil(count / 2));
  const open = await signaturesOut(fund, count - executed.length);
  await putBack(fund, copy);
  return { executed, open };
}

export function withdraw(fund: TestFund, scope: string, confirmed?: { to: string; amountAtoms: bigint }) {
  const idempotency = { scope, fingerprint: "f" };
  const terms = { to: OUTSIDE, amountAtoms: SUI_MIST, from: "available", idempotency } as const;
  return stub(fund).withdraw(confirmed === undefined ? terms : { ...terms, confirmed });
}

/** The fund has paused by itself, said why, and neither sponsors nor pays out. */
export async function expectPausedByItself(fund: TestFund): Promise<void> {
  const view = await stub(fund).view();
  expect(view).toMatchObject({ pausedCause: STATE_BEHIND_CHAIN, recovery: { state: "needed" } });
  expect(view?.recovery?.evidence).toMatch(/which its stored state does not know|and no (row|transaction)/);
  expect(await refusalOf(fund, "too early")).toBe("fund_paused");
  expect(await withdraw(fund, "too early")).toMatchObject({
    error: { reason: "fund_paused", details: expect.stringContaining("/recover") },
  });
}

/** A forgotten signature executes while the fund is closed. With coins, that is before the first sweep. */
export async function executeWhileClosed(fund: TestFund, mode: Mode, late: Sponsored): Promise<void> {
  if (mode === "coin") return alterReplies(withOurTime, once(SUBMIT, { before: () => executeOnChain(late) }));
  expect(await stub(fund).recover()).toMatchObject({ value: { state: "waiting" } });
  await executeOnChain(late);
}

/** Recovers a fund, and tries every signature that it has forgotten once the fund is open again. None may execute. */
export async function recoverAndTry(fund: TestFund, mode: Mode, { executed, open }: Forgotten): Promise<RecoveryView> {
  await recoverFully(fund, mode);
  await expectExactBooks(fund);
  for (const outcome of await Promise.all(open.map(submitAsUser))) expect(outcome).not.toBe("executed");
  const [first] = executed;
  // A caller may read the status of any earlier sponsorship. It is no evidence against the recovered state.
  if (first !== undefined) expect(await stub(fund).status(first.digest)).toMatchObject({ value: "COMPLETE" });
  await liveFor(fund, MINUTE_MS);
  const { recovery, pausedCause } = (await stub(fund).view()) ?? {};
  expect({ recovery, pausedCause }).toMatchObject({
    recovery: { state: "done", openReferences: 0 },
    pausedCause: null,
  });
  if (!recovery) throw new Error("there was no recovery");
  await executeOnChain(await sponsor(fund, "afterwards"));
  await liveFor(fund, MINUTE_MS);
  await expectExactBooks(fund);
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
  return recovery;
}
