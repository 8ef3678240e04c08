import { expect, vi } from "vitest";
import { alterAptos, ledgerAt, withJsonOf } from "../../../byzantine-node/altered-aptos-node.ts";
import { draftOf, newUser } from "../../../support/aptos-chain.ts";
import { aptosSponsor, newAptosFund, reasonOf, useStoppedAptosClock } from "../../../support/aptos-fund.ts";
import { shortTest } from "../../../support/rounds.ts";

useStoppedAptosClock();

const HOUR_MS = 3_600_000;

shortTest("a gas price that was read under a fast clock is read again once the clock is right", async () => {
  const fund = await newAptosFund();
  const rightMs = Date.now();
  const atRightTime = ledgerAt(() => rightMs);
  const expirationSecs = BigInt(Math.floor(rightMs / 1_000)) + 60n;
  alterAptos(atRightTime);
  vi.setSystemTime(rightMs + HOUR_MS);
  expect(reasonOf(await aptosSponsor(fund, draftOf(newUser(), { expirationSecs })))).toBe("expired");
  vi.setSystemTime(rightMs + 1_000);
  alterAptos(
    atRightTime,
    withJsonOf("GET /estimate_gas_price", () => ({ gas_estimate: 1_000 })),
  );
  const draft = draftOf(newUser(), { expirationSecs, priceOctas: 1_000n });
  expect(reasonOf(await aptosSponsor(fund, draft))).toBeNull();
});
