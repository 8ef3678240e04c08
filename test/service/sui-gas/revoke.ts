import { expect } from "vitest";
import { gas, harness, newFund, newKey } from "../../harness/harness.ts";
import { clearFaults, LOOK_UP, orderFault } from "../../support/chain-control.ts";
import { raiseLimits } from "../../support/limits.ts";
import { expectReconciled, revoke } from "../../support/operator.ts";
import { BUDGET, getFund, newUser, type Sponsored, sponsor, status, submitSponsored } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const AT_ONCE = 32;
/** All of them by stock clients, some at a time. */
async function submitAll(user: ReturnType<typeof newUser>, sponsorships: readonly Sponsored[]) {
  const ends: ("executed" | "refused")[] = [];
  for (let start = 0; start < sponsorships.length; start += AT_ONCE)
    ends.push(
      ...(await Promise.all(
        sponsorships.slice(start, start + AT_ONCE).map((sponsored) =>
          submitSponsored(user, sponsored).then(
            () => "executed" as const,
            (error: unknown) => {
              // The coin is at another version, or about to be: no other reason would do.
              expect(String(error)).toMatch(/unavailable for consumption|already locked/);
              return "refused" as const;
            },
          ),
        ),
      )),
    );
  return ends;
}

/**
 * Somebody has got hold of an access key and of `live` signatures of the fund. The operator revokes the key. Of the
 * signatures only those are executed that the chain had first.
 */
export async function assertNoneExecutesAfterRevocation(live: number, first: number): Promise<void> {
  const fund = await newFund([20_000_000_000n]);
  const leaked = await newKey(fund);
  const other = await newKey(fund);
  await raiseLimits(harness, { ...fund, ...leaked });
  const thief = newUser();
  const sender = thief.toSuiAddress();
  const kind = await mintKind();
  const honest = await sponsor(other.key, kind, sender, BUDGET);

  // Otherwise the fund would settle by itself what is executed now, before it is revoked.
  await orderFault(LOOK_UP, "unavailable", 1_000);
  const stolen: Sponsored[] = [];
  while (stolen.length < live) {
    const calls = Array.from({ length: Math.min(AT_ONCE, live - stolen.length) });
    stolen.push(...(await Promise.all(calls.map(() => sponsor(leaked.key, kind, sender, BUDGET)))));
  }
  expect(await submitAll(thief, stolen.slice(0, first))).toEqual(Array(first).fill("executed"));
  await clearFaults();

  const { tooLate, ...others } = await revoke("keys", leaked.keyId);
  expect(others).toEqual({ revoked: live - first, irrevocable: 0, pending: 0 });
  // The fund's own alarm may have found some of them a moment before.
  expect(tooLate).toBeLessThanOrEqual(first);
  expect(await submitAll(thief, stolen.slice(first))).toEqual(Array(live - first).fill("refused"));
  expect((await gas(leaked.key, "gas_getFund", [])).status).toBe(401);
  expect(await revoke("keys", leaked.keyId)).toEqual({ revoked: 0, tooLate: 0, irrevocable: 0, pending: 0 });

  // What other keys have been given is left alone, and the fund goes on.
  expect((await getFund(other.key)).inFlight).toBe(BigInt(BUDGET));
  for (const [index, { txDigest }] of stolen.entries())
    expect(await status(other.key, txDigest)).toBe(index < first ? "COMPLETE" : "INVALID");
  for (const sponsored of [honest, await sponsor(other.key, kind, sender, BUDGET)]) {
    expect((await submitSponsored(thief, sponsored)).status.success).toBe(true);
    expect(await status(other.key, sponsored.txDigest)).toBe("COMPLETE");
  }
  expect((await getFund(other.key)).inFlight).toBe(0n);
  await expectReconciled(fund);
}
