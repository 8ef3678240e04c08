import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { expect } from "vitest";
import * as z from "zod";
import { APTOS_NETWORK, adminCall, createKey } from "../../shared/cli/client/admin.ts";
import { createAptosFund, type ProjectFund, type ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import type { Chain } from "../../shared/networks.ts";
import { fundFile } from "../harness/disk.ts";
import type { SelfHosted } from "../harness/self-hosted.ts";
import { everyRow } from "../support/admin-lists.ts";
import { ageFile } from "../support/fund/age-file.ts";
import { endedName } from "../support/fund/version-5.ts";
import { raiseLimits } from "../support/limits.ts";
import { type AptosCaller, startAptosCaller } from "./aptos-callers.ts";
import type { Books } from "./books.ts";
import { type Caller, startCaller } from "./callers.ts";
import { newGas, openBooks } from "./fixture.ts";
import { FundFiles } from "./rows-on-disk.ts";

const SUI_MIST = 1_000_000_000n;
const DEPOSITS_MIST = [20n * SUI_MIST, 20n * SUI_MIST];
const DEPOSIT_OCTAS = 5_000_000_000n;
const SETTLED_MS = 60_000;
const CALLS_BEFORE = 3;

/** An Aptos fund, and the key that its callers have. */
export interface AptosBooks {
  readonly fund: ProjectFund;
  readonly keyId: string;
  readonly accessKey: string;
  /** The stock client, at the chain: the judge. */
  readonly aptos: Aptos;
}

/** A Sui fund and an Aptos fund of one service. */
export interface Funds {
  readonly hosted: SelfHosted;
  readonly sui: Books;
  readonly suiKeyId: string;
  readonly aptos: AptosBooks;
}

export async function openAptosBooks(hosted: ServiceAccess, projectId: string, name: string): Promise<AptosBooks> {
  const fund = await createAptosFund(hosted, projectId, name, DEPOSIT_OCTAS);
  const terms = { name, network: APTOS_NETWORK, rights: ["gas"], fundId: fund.fundId };
  const limits = { qps: 10_000, cups: 1_000 };
  const { id: keyId, key: accessKey } = await createKey(hosted, projectId, { ...terms, limits });
  await raiseLimits(hosted, { ...fund, keyId });
  const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${hosted.chainUrl}/aptos/v1` }));
  return { fund, keyId, accessKey, aptos };
}

/** Opens both funds, with a few rows of their own. */
export async function openFunds(hosted: SelfHosted, seed: number): Promise<Funds> {
  const sui = await openBooks(hosted, "aged", DEPOSITS_MIST);
  const aptos = await openAptosBooks(hosted, sui.fund.projectId, "aged");
  const { keyId: suiKeyId } = await newGas(hosted, sui.fund, "of the ended rows");
  const funds = { hosted, sui, suiKeyId, aptos };
  const callers = startCallers(funds, seed, 0);
  const answers = () => [callers.sui.told.sponsored.size, callers.aptos.told.answered.length];
  await expect.poll(() => Math.min(...answers()), { timeout: SETTLED_MS }).toBeGreaterThanOrEqual(CALLS_BEFORE);
  await callers.stop();
  return funds;
}

/** One caller for each fund. */
export interface Callers {
  readonly sui: Caller;
  readonly aptos: AptosCaller;
  /** Returns once nothing is under way. Expects that no answer was wrong. */
  stop(): Promise<void>;
}

/**
 * Starts one caller for each fund.
 *
 * @param round no two callers of a fund have the same, because it is in their Idempotency-Keys.
 * @param aheadMs how far ahead the clocks of the service and of the chain are.
 */
export function startCallers({ hosted, sui, aptos }: Funds, seed: number, round: number, aheadMs = 0): Callers {
  const { serviceUrl, chainUrl } = hosted;
  const { accessKey, fund } = aptos;
  const surroundings = { serviceUrl, chainUrl, accessKey, feePayer: fund.depositAddress, aptos: aptos.aptos, aheadMs };
  const both = { sui: startCaller(sui, 2 * round, seed), aptos: startAptosCaller(surroundings, round, seed) };
  return {
    ...both,
    async stop() {
      await Promise.all([both.sui.stop(), both.aptos.stop()]);
      expect([...both.sui.told.unexpected, ...both.aptos.told.unexpected], "a crash excuses broken calls only").toEqual(
        [],
      );
    },
  };
}

/** The rows that both funds get. */
export interface Aging {
  /** How many ended sponsorships each fund gets. */
  readonly count: number;
  readonly atMs: number;
}

/** Turns the files of both funds into those of version 5, with many ended rows. The service has to be down. */
export function age({ hosted, sui, suiKeyId, aptos }: Funds, { count, atMs }: Aging): void {
  const { serviceState } = hosted;
  ageFile(fundFile(serviceState, sui.fund.fundId), { chain: "sui", count, keyId: suiKeyId, atMs });
  ageFile(fundFile(serviceState, aptos.fund.fundId), { chain: "aptos", count, keyId: aptos.keyId, atMs });
}

export function filesOf({ hosted, sui, aptos }: Funds): Readonly<Record<Chain, FundFiles>> {
  return {
    sui: new FundFiles(hosted.serviceState, "sui", sui.fund.fundId),
    aptos: new FundFiles(hosted.serviceState, "aptos", aptos.fund.fundId),
  };
}

export function fundIdOf({ sui, aptos }: Funds, chain: Chain): string {
  return (chain === "sui" ? sui : aptos).fund.fundId;
}

const listedSchema = z.object({ digest: z.string(), state: z.string() });
const atoms = z.string().transform(BigInt);
const ledgerSchema = z.object({ kind: z.string(), balance: atoms, inFlight: atoms, accruedFees: atoms });
const figuresSchema = z.object({ balance: atoms, inFlight: atoms, accruedFees: atoms });

/** Expects that lists show each of so many ended sponsorships once, as it ended, and nothing twice. */
export async function expectListedOnce(funds: Funds, chain: Chain, count: number): Promise<void> {
  const rows = await everyRow(funds.hosted, `/funds/${fundIdOf(funds, chain)}/sponsorships`, listedSchema);
  const states = new Map(rows.map(({ digest, state }) => [digest, state]));
  expect(states.size, "a digest is listed once").toBe(rows.length);
  const missing: string[] = [];
  for (let serial = 0; serial < count; serial++) {
    const name = endedName(chain, serial);
    if (states.get(name) !== (serial % 2 === 0 ? "complete" : "dead")) missing.push(name);
  }
  expect(missing, "each ended sponsorship is listed as it ended").toEqual([]);
}

/** Expects that the books of a fund are those of its chain, and that each figure is the sum of its ledger's column. */
export async function expectExactBooks(access: ServiceAccess, fundId: string): Promise<void> {
  const exact = async () => {
    const answer = await adminCall(access, "POST", `/funds/${fundId}/reconcile`);
    return expectAnswer("the reconciliation", answer, z.object({ exact: z.boolean() })).exact;
  };
  await expect.poll(exact, { timeout: SETTLED_MS, message: "the books are exact" }).toBe(true);
  const ledger = await everyRow(access, `/funds/${fundId}/ledger`, ledgerSchema);
  const figures = expectAnswer("the fund", await adminCall(access, "GET", `/funds/${fundId}`), figuresSchema);
  const sum = (column: "balance" | "inFlight" | "accruedFees") =>
    ledger.reduce((total, row) => total + row[column], 0n);
  expect({ balance: sum("balance"), inFlight: sum("inFlight"), accruedFees: sum("accruedFees") }).toEqual(figures);
}
