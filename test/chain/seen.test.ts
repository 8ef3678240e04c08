import { expect, test } from "vitest";
import type { AptosSequenceReading } from "../../shared/chain/aptos/node.ts";
import type { AptosLedgerState } from "../../shared/chain/aptos/seen.ts";
import { partsOf, withValue } from "../../shared/chain/seen.ts";
import type { SuiCoin } from "../../shared/chain/sui/coins.ts";
import type { Balances } from "../../shared/chain/sui/node.ts";
import { joinSeen, type SuiLedgerState, type SuiSeen, upToEpoch } from "../../shared/chain/sui/seen.ts";
import { adoptBalance } from "../../shared/fund/aptos/adopt.ts";
import { weighLedger } from "../../shared/fund/aptos/chain-facts.ts";
import { closeByEvidence as closeOnAptos } from "../../shared/fund/aptos/settle.ts";
import type { AptosFundStore } from "../../shared/fund/aptos/store.ts";
import { closeTreasuryByEvidence as closeTreasuryOnAptos } from "../../shared/fund/aptos/treasury-settle.ts";
import { recordUsedSequence } from "../../shared/fund/aptos/used-sequences.ts";
import type { MissingMoney } from "../../shared/fund/ledger/missing-money.ts";
import { adoptAddressBalance, adoptCoinListing } from "../../shared/fund/sui/adopt.ts";
import { weighEpoch } from "../../shared/fund/sui/chain-facts.ts";
import { type InputEvidence, proveOutcome } from "../../shared/fund/sui/payment.ts";
import { closeByEvidence, recordNotFound, showsExpiry } from "../../shared/fund/sui/settle.ts";
import type { SuiFundStore, SuiSponsorship } from "../../shared/fund/sui/store.ts";
import { digestOf, listed, seen } from "../fund/simulation/rows.ts";
import { aptosSeen } from "../support/seen.ts";

/** The compiler refuses each call. None of them is made. */
interface Funds {
  readonly sui: SuiFundStore;
  readonly aptos: AptosFundStore;
  readonly row: SuiSponsorship;
  readonly state: SuiLedgerState;
  readonly ledger: AptosLedgerState;
  readonly missing: MissingMoney;
}
const NOTHING = { unusedAt: new Map<string, AptosSequenceReading>(), usedAt: new Map<string, bigint>() };
const READING = { balance: aptosSeen(9n), open: [] };
type Refused = (funds: Funds) => unknown;

test("a value without its reply proves no death, books no deposit, and changes no belief", () => {
  const coins: readonly SuiCoin[] = [];
  const balances: Balances = { coinBalanceMist: 0n, addressBalanceMist: 9n, findings: [] };
  const facts = { epochStartMs: 0, epochDurationMs: 1, referenceGasPriceMist: 1n, fetchedAtMs: 0 };
  const context = { nowMs: 0, epochEndMs: null, bindsToEpoch: false };
  const refused: readonly Refused[] = [
    // @ts-expect-error a list of coins
    ({ sui }) => adoptCoinListing(sui, coins, 0),
    // @ts-expect-error an amount
    ({ sui }) => adoptAddressBalance(sui, 9n, 0n, 0),
    // @ts-expect-error a balance beside somebody's heights
    ({ sui, state }) => adoptAddressBalance(sui, { ...state, value: balances }, 0n, 0),
    // @ts-expect-error an amount at a version
    ({ aptos }) => adoptBalance(aptos, { balance: 9n, version: 1n, open: [] }, NOTHING, 0),
    // @ts-expect-error a balance beside somebody's version
    ({ aptos, ledger }) => adoptBalance(aptos, { balance: { ...ledger, value: 9n }, open: [] }, NOTHING, 0),
    // @ts-expect-error a version at which a sequence number is said to be unused
    ({ aptos }) => adoptBalance(aptos, READING, { ...NOTHING, unusedAt: new Map([["row", 1n]]) }, 0),
    // @ts-expect-error coins by their ids
    ({ row }) => proveOutcome(row, [], { coins: new Map(), miss: seen(null) }),
    // @ts-expect-error an absence
    ({ row }) => proveOutcome(row, [], { coins: null, miss: null }),
    // @ts-expect-error an absence beside somebody's heights
    ({ row, state }) => showsExpiry(row, { ...state, value: null }),
    // @ts-expect-error an absence
    ({ sui }) => recordNotFound(sui, "s", null, 0, "by_schedule"),
    // @ts-expect-error an epoch
    ({ sui }) => closeByEvidence(sui, "s", 7n, 0),
    // @ts-expect-error the use of a sequence number
    ({ aptos }) => closeOnAptos(aptos, "s", { kind: "unused" }, "0x1", 0),
    // @ts-expect-error the use of a sequence number
    ({ aptos }) => closeTreasuryOnAptos(aptos, "s", { kind: "unused" }, "0x1", 0),
    // @ts-expect-error the use of a sequence number beside somebody's ledger
    ({ aptos, ledger }) => recordUsedSequence(aptos, "s", { ...ledger, value: { kind: "unused" } }, 0, 0),
    // @ts-expect-error facts beside somebody's heights
    ({ state }) => weighEpoch({ ...state, value: facts }, { seen: null, claim: null }, context),
    // @ts-expect-error a ledger that nobody has replied with
    ({ ledger }) => weighLedger({ ...ledger, value: null }, { look: null, claims: [] }, 0),
    // @ts-expect-error a time and a host
    ({ missing }) => missing.disprove("coin", "1", { timestampMs: 1, endpoint: "node.test" }, 0),
  ];
  expect(refused.every((call) => typeof call === "function")).toBe(true);
});

test("evidence that is spread and changed is evidence no more", () => {
  const miss = seen(null);
  const refused: readonly (() => InputEvidence)[] = [
    // @ts-expect-error another reply's epoch
    () => ({ coins: null, miss: { ...miss, epoch: 99n } }),
    // @ts-expect-error another reply's lowest checkpoint
    () => ({ coins: null, miss: Object.assign({}, miss, { lowestAvailable: 0n }) as SuiLedgerState & { value: null } }),
    // @ts-expect-error another reply's value
    () => ({ coins: { ...seen(0), value: new Map() }, miss }),
  ];
  expect(refused).toHaveLength(3);
});

test("another value of the same reply keeps its figures", () => {
  const listing = seen([listed(1), listed(2), listed(3)], { checkpoint: 7n, timestampMs: 5, endpoint: "a.test" });
  expect(withValue(listing, (coins) => coins.length)).toEqual({ ...listing, value: 3 });
  expect(partsOf(listing, 2)).toEqual([
    { ...listing, value: [listed(1), listed(2)] },
    { ...listing, value: [listed(3)] },
  ]);
});

test("two readings together claim no more than either", () => {
  const low = seen(1, { checkpoint: 10n, newestCheckpoint: 14n, epoch: 6n, timestampMs: 100, lowestAvailable: 3n });
  const high = seen(2, { checkpoint: 12n, newestCheckpoint: 13n, epoch: 7n, timestampMs: 200, lowestAvailable: 5n });
  const joined = { checkpoint: 10n, newestCheckpoint: 14n, epoch: 6n, timestampMs: 100, lowestAvailable: 5n };
  for (const [one, other] of [
    [low, high],
    [high, low],
  ] as const)
    expect(joinSeen(one, other, (a, b) => a + b)).toMatchObject({ ...joined, value: 3 });
});

test("readings of two chains do not combine", () => {
  const other: SuiSeen<number> = seen(2, { chain: digestOf("other") });
  expect(joinSeen(seen(1), other, (a, b) => a + b)).toBe(null);
});

test("an epoch counts up to the believed one, and never rises to it", () => {
  const told = seen(null, { epoch: 9n });
  expect([upToEpoch(told, 7n).epoch, upToEpoch(told, 9n).epoch, upToEpoch(told, 11n).epoch]).toEqual([7n, 9n, 9n]);
});
