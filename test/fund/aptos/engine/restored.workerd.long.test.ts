import { expect, test } from "vitest";
import { copyOf } from "../../../support/restore.ts";
import { stub } from "../../../support/sui-fund.ts";
import {
  executeMany,
  expectPausedByItself,
  newFundToRestore,
  recoverAndTry,
  restoreAfter,
  useClockOfChain,
} from "./restored.ts";

useClockOfChain();

test.each([100, 300])(
  "a copy of %i sponsorships ago: the fund pauses by itself, and recovers exactly",
  async (count) => {
    const fund = await newFundToRestore();
    await executeMany(fund, 3);
    const forgotten = await restoreAfter(fund, await copyOf(fund), count);
    await stub(fund).refresh();
    await expectPausedByItself(fund);
    const { correctionAtoms } = await recoverAndTry(fund, forgotten);
    expect(correctionAtoms).toBeLessThan(0n);
  },
);
