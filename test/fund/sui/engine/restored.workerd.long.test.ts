import { describe, expect, test } from "vitest";
import { copyOf } from "../../../support/restore.ts";
import { liveFor, MINUTE_MS, stub, useStoppedClock } from "../../../support/sui-fund.ts";
import {
  executeMany,
  executeWhileClosed,
  expectPausedByItself,
  MODES,
  newFundToRestore,
  recoverAndTry,
  restoreAfter,
} from "./restored.ts";

useStoppedClock();

describe.each(MODES)("a fund that pays by %s", (mode) => {
  test.each([1, 100, 300])(
    "a copy of %i sponsorships ago: the fund pauses by itself, and recovers exactly",
    async (count) => {
      const fund = await newFundToRestore(mode);
      await executeMany(fund, 3);
      const { executed, open } = await restoreAfter(fund, await copyOf(fund), count);
      await liveFor(fund, 30 * MINUTE_MS);
      await expectPausedByItself(fund);
      const [late, ...others] = open;
      if (late !== undefined) await executeWhileClosed(fund, mode, late);
      const { correctionAtoms, evidence } = await recoverAndTry(fund, mode, { executed, open: others });
      if (late !== undefined) expect(await stub(fund).status(late.digest)).toMatchObject({ value: "COMPLETE" });
      expect(correctionAtoms).toBeLessThan(0n);
      expect(evidence).not.toBeNull();
    },
  );
});
