import { afterEach, expect, test } from "vitest";
import { admin } from "../../harness/harness.ts";
import { clearFaults, EXECUTE as NODE_EXECUTE, orderFault } from "../../support/chain-control.ts";
import { BUDGET, refusalOf } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { badgesOf, execute, newSuiApp, responseIn } from "./app.ts";

afterEach(clearFaults);

test("an answer that was lost is found by the repeat: one transaction, its digest told meanwhile", async () => {
  const own = await newSuiApp(2);
  const kind = await mintKind("lost");
  const named = { idempotencyKey: "lost" };
  await orderFault(NODE_EXECUTE, "unavailable_before_commit", 1_000);
  const refusal = refusalOf(await execute(own, kind, [BUDGET], named));
  expect(refusal).toMatchObject({ code: -32017, data: { reason: "outcome_unknown", digest: expect.any(String) } });
  await clearFaults();
  expect(responseIn(await execute(own, kind, [BUDGET], named)).digest).toBe(refusal.data.digest);
  expect(await badgesOf(own.address)).toBe(1);
  expect((await admin("GET", `/funds/${own.fundId}`)).body).toMatchObject({ inFlight: "0" });
});
