import { Transaction } from "@mysten/sui/transactions";
import { expect, test } from "vitest";
import { askedSponsoring } from "../../../shared/fund/explain/asked-call.ts";
import { defaultKeyPolicy } from "../../../shared/policy/fund-policy-defaults.ts";

test("a call is decoded for a refusal of what it does, and not for one of an overloaded fund", async () => {
  const transaction = new Transaction();
  transaction.moveCall({ target: "0x2::demo::mint" });
  const sender = `0x${"1".repeat(64)}`;
  const input = {
    keyId: "key_1",
    keyPolicy: defaultKeyPolicy("sui"),
    idempotency: null,
    kindBytes: await transaction.build({ onlyTransactionKind: true }),
    sender,
    gasBudgetMist: 7n,
    maxGasBudgetMist: null,
    gasPriceMist: null,
    lastEpoch: null,
  };
  const decoded = askedSponsoring("sponsor", input, "policy_refused");
  expect(decoded.targets).toEqual([expect.stringMatching(/::demo::mint$/)]);
  expect(askedSponsoring("sponsor", input, "overloaded")).toEqual({ ...decoded, targets: [] });
});
