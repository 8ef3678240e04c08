import { expect, test } from "vitest";
import { alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, statesOf } from "../../../support/fund-books.ts";
import { give, LIST, LOOK_UP } from "../../../support/sui-chain.ts";
import {
  alarm,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFund,
  pass,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stateOf,
  until,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

useStoppedClock();

test("fifty digests whose look-up hangs hold up no other, and are settled in their turn", async () => {
  const fund = await newFund(10n * SUI_MIST);
  const sponsored = await Promise.all(Array.from({ length: 60 }, (_, index) => sponsor(fund, `number ${index}`)));
  for (const one of sponsored) await executeOnChain(one);
  // No promise that both await: the runtime crashes now and then if one object resolves what another one awaits.
  let mayAnswer = false;
  alterReplies(withOurTime, once(LOOK_UP, { before: () => until(async () => mayAnswer) }));
  const living = liveFor(fund, 2 * SECOND_MS);
  const settled = async () => (await statesOf(fund, sponsored)).filter((state) => state === "complete").length;
  await until(async () => (await settled()) > 0);
  expect(await settled()).toBe(10);
  mayAnswer = true;
  await living;
  // On a slow machine the held look-up has timed out, and is repeated.
  await liveFor(fund, 30 * SECOND_MS);
  await until(async () => (await settled()) === 60);
  await expectExactBooks(fund);
});

test("a listing that hangs holds up no settlement", async () => {
  const fund = await newFund(SUI_MIST);
  const one = await sponsor(fund, "one");
  await give(fund.address, SUI_MIST);
  const answer = Promise.withResolvers<void>();
  let isListing = false;
  const hang = () => {
    isListing = true;
    return answer.promise;
  };
  alterReplies(withOurTime, once(LIST, { before: hang }));
  pass(MINUTE_MS);
  const alarmed = alarm(fund);
  await until(async () => isListing);
  await executeOnChain(one);
  pass(5 * MINUTE_MS);
  await until(async () => (await stateOf(fund, one.digest)) === "complete");
  answer.resolve();
  await alarmed;
  await liveFor(fund, 30 * SECOND_MS);
  await expectExactBooks(fund);
});
