import { expect, test } from "vitest";
import { START_LIMIT_MS } from "../../../../shared/http/overload.ts";
import { draftOf, GET_ACCOUNT, LOOK_UP, newUser, orderFault, SUBMIT } from "../../../support/aptos-chain.ts";
import {
  aptosExecute,
  aptosSponsor,
  aptosStatesOf,
  executed,
  expectQuiet,
  newAptosFund,
  reasonOf,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { clearFaults } from "../../../support/sui-chain.ts";
import { liveFor, SECOND_MS } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

/** Of the 23 s of a call, to see its end soon. Nodes that hang do so for far longer. */
const leftMs = 1_500;

test("where nodes hang, an execution ends with its time: with nothing held, or once it is sent as an unknown outcome", async () => {
  const fund = await newAptosFund();
  // The chain's facts are known.
  await sponsored(fund, draftOf(newUser()));
  const draft = draftOf(newUser());
  await orderFault(GET_ACCOUNT, "hang", 100);
  expect(reasonOf(await aptosExecute(fund, draft, { leftMs }))).toBe("node_unavailable");
  expect(await aptosStatesOf(fund)).toEqual(["signed"]);
  await clearFaults();
  for (const method of [SUBMIT, LOOK_UP]) await orderFault(method, "hang", 100);
  const unknown = await aptosExecute(fund, draft, { leftMs });
  expect(reasonOf(unknown)).toBe("outcome_unknown");
  expect(await aptosStatesOf(fund)).toEqual(["signed", "signed"]);
  await clearFaults();
  const hash = await executed(fund, draft);
  expect(unknown).toMatchObject({ error: { data: { hash } } });
  await whenCommitted(draft);
  await liveFor(fund, 80 * SECOND_MS);
  await expectQuiet(fund);
});

test("a call that reached the fund too late is neither signed nor executed", async () => {
  const fund = await newAptosFund();
  const arrivedAtMs = Date.now() - START_LIMIT_MS - 1;
  expect(reasonOf(await aptosSponsor(fund, draftOf(newUser()), { arrivedAtMs }))).toBe("overloaded");
  expect(reasonOf(await aptosExecute(fund, draftOf(newUser()), { arrivedAtMs }))).toBe("overloaded");
  expect(await aptosStatesOf(fund)).toEqual([]);
});
