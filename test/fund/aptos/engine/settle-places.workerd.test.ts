import { expect, test, vi } from "vitest";
import { alterAptos, atOurTime } from "../../../byzantine-node/altered-aptos-node.ts";
import { draftOf, newUser } from "../../../support/aptos-chain.ts";
import { aptosStatesOf, newAptosFund, sponsored, useStoppedAptosClock } from "../../../support/aptos-fund.ts";
import { liveFor, SECOND_MS, stub, until } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

const ROWS = 40;
/** An account that does not exist yet takes a second call. */
const CALLS_OF_LOOK_UP = 2;
const FEWEST_AT_ONCE = 12;
/** The time for which an answer waits for others, `GATHER_MS` of settlement. */
const GATHER_MS = 25;
const POLL_MS = 10;

test("settlement begins with twelve look-ups at once, and an answer that waits for its commit stops no further one", async () => {
  const fund = await newAptosFund();
  await Promise.all(Array.from({ length: ROWS }, () => sponsored(fund, draftOf(newUser()))));
  let begun = 0;
  const gate = Promise.withResolvers<void>();
  const before = () => {
    begun += 1;
    return gate.promise;
  };
  alterAptos(atOurTime, { method: "GET /accounts/", before });
  let [isHeld, waits] = [true, 0];
  const wait = globalThis.setTimeout;
  // Each wait for other answers lasts until the test ends it, in the fund's own context.
  vi.spyOn(globalThis, "setTimeout").mockImplementation((run, ms) => {
    const poll = () => (isHeld ? wait(poll, POLL_MS) : run());
    if (ms !== GATHER_MS) return wait(run, ms);
    waits += 1;
    return wait(poll, ms);
  });
  const settling = liveFor(fund, 3 * SECOND_MS);
  await until(async () => begun >= FEWEST_AT_ONCE);
  await stub(fund).view();
  expect(begun).toBe(FEWEST_AT_ONCE);
  gate.resolve();
  await until(async () => begun === ROWS * CALLS_OF_LOOK_UP);
  expect(waits, "one commit gathers all answers").toBe(1);
  isHeld = false;
  await settling;
  expect(await aptosStatesOf(fund)).toEqual(Array.from({ length: ROWS }, () => "signed"));
  expect(begun).toBe(ROWS * CALLS_OF_LOOK_UP);
});
