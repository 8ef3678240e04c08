import { expect, test } from "vitest";
import { DISK_FAULTS, failNewRows } from "../../../support/failing-disk.ts";
import { expectExactBooks, statesOf } from "../../../support/fund-books.ts";
import { variants } from "../../../support/rounds.ts";
import { balanceOnChain, callsOf, give, SUBMIT } from "../../../support/sui-chain.ts";
import {
  execute,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFund,
  prepare,
  refusalOf,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  sponsorInput,
  stub,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

useStoppedClock();

test.each(variants(DISK_FAULTS, 2))(
  "a disk that takes no new sponsorship lets everything else go on, and sponsoring when it does again (%s)",
  async (code) => {
    const fund = await newFund(3n * SUI_MIST, 9_000_000n, 9_000_000n, 9_000_000n, 9_000_000n, 9_000_000n);
    const [live, prepared] = [await sponsor(fund, "live"), await prepare(fund, "prepared")];
    await executeOnChain(live);
    const { inFlightAtoms } = (await stub(fund).view()) ?? {};
    const endFault = await failNewRows(fund, "sponsorship_row", code);

    const submitted = await callsOf(SUBMIT);
    expect(await refusalOf(fund, "alone")).toBe("storage");
    expect(await stub(fund).prepare(await sponsorInput("prepare"))).toMatchObject({ error: { reason: "storage" } });
    const together = await Promise.all(["a", "b", "c"].map((name) => refusalOf(fund, name)));
    expect(together).toEqual(["storage", "storage", "storage"]);
    expect(await callsOf(SUBMIT), "nothing is sent").toBe(submitted);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms });
    expect(await stub(fund).sponsorships({ limit: 10, cursor: null })).toMatchObject({ items: { length: 2 } });

    const idempotency = { scope: "operator withdraw", fingerprint: "f" };
    const to = `0x${"7".repeat(62)}${DISK_FAULTS.indexOf(code)}0`;
    const withdrawn = await stub(fund).withdraw({ to, amountAtoms: 1_000n, from: "available", idempotency });
    expect(withdrawn).toMatchObject({ value: { state: "complete" } });
    expect((await balanceOnChain(to)).coinMist).toBe(1_000n);
    expect(await execute(fund, prepared)).toMatchObject({ value: { execution: { success: true } } });
    await give(fund.address, 40_000_000n);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [live, prepared])).toEqual(["complete", "complete"]);
    await expectExactBooks(fund);
    expect(await refusalOf(fund, "still")).toBe("storage");

    endFault();
    await executeOnChain(await sponsor(fund, "afterwards"));
    await liveFor(fund, 5 * SECOND_MS);
    await expectExactBooks(fund);
  },
);
