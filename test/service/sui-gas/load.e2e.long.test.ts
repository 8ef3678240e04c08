import { expect, test } from "vitest";
import { harness, newFund, newKey } from "../../harness/harness.ts";
import { raiseLimits } from "../../support/limits.ts";
import { BUDGET, BUDGET_MIST, gasPayment, getFund, newUser, type Sponsored, sponsor } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const CALLERS = 64;
const SPONSORSHIPS = 2_000;
const DEPOSIT_MIST = 200_000_000_000n;
const TIME_LIMIT_MS = 300_000;

test(
  `${CALLERS} callers, ${SPONSORSHIPS} sponsorships, one fund: none is lost, no coin is in two, and inFlight is their sum`,
  async () => {
    const fund = await newFund([DEPOSIT_MIST]);
    const { key, keyId } = await newKey(fund);
    await raiseLimits(harness, { ...fund, keyId });
    const kind = await mintKind();
    const sponsorships: Sponsored[] = [];
    let left = SPONSORSHIPS;
    async function caller(): Promise<void> {
      const sender = newUser().toSuiAddress();
      while (left > 0) {
        left -= 1;
        sponsorships.push(await sponsor(key, kind, sender, BUDGET));
      }
    }
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const seconds = (performance.now() - startedAt) / 1_000;
    const rate = (SPONSORSHIPS / seconds).toFixed(0);
    process.stdout.write(`${SPONSORSHIPS} sponsorships in ${seconds.toFixed(1)} s: ${rate} a second\n`);

    const digests = new Set(sponsorships.map(({ txDigest }) => txDigest));
    expect(digests.size).toBe(SPONSORSHIPS);
    const coins = sponsorships.flatMap(({ txBytes }) => gasPayment(txBytes).map(({ objectId }) => objectId));
    expect(coins.length).toBeGreaterThanOrEqual(SPONSORSHIPS);
    expect(new Set(coins).size).toBe(coins.length);
    const { inFlight, balance } = await getFund(key);
    expect(inFlight).toBe(BUDGET_MIST * BigInt(SPONSORSHIPS));
    expect(balance).toBeLessThanOrEqual(DEPOSIT_MIST);
  },
  TIME_LIMIT_MS,
);
