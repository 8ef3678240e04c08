import { expect, test } from "vitest";
import { APT_OCTAS, draftOf, giveOctas, newUser } from "../../../support/aptos-chain.ts";
import {
  aptosExecute,
  aptosSponsor,
  aptosStatesOf,
  executed,
  expectQuiet,
  landed,
  newAptosFund,
  reasonOf,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { newRecipient, request, withdraw } from "../../../support/aptos-withdrawals.ts";
import { DISK_FAULTS, failNewRows } from "../../../support/failing-disk.ts";
import { variants } from "../../../support/rounds.ts";
import { liveFor, MINUTE_MS, SECOND_MS } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

test.each(variants(DISK_FAULTS, 2))(
  "a disk that takes no new sponsorship lets everything else go on, and sponsoring when it does again (%s)",
  async (code) => {
    const fund = await newAptosFund();
    const [live, known] = [draftOf(newUser()), draftOf(newUser())];
    await executed(fund, live);
    await sponsored(fund, known);
    const endFault = await failNewRows(fund, "aptos_sponsorship_row", code);

    expect(reasonOf(await aptosSponsor(fund, draftOf(newUser())))).toBe("storage");
    const together = await Promise.all([1, 2, 3].map(() => aptosExecute(fund, draftOf(newUser()))));
    expect(together.map(reasonOf)).toEqual(["storage", "storage", "storage"]);
    expect(await aptosStatesOf(fund)).toEqual(["signed", "signed"]);

    const wanted = request(newRecipient());
    expect(await withdraw(fund, wanted)).toMatchObject({ ok: true });
    await executed(fund, known);
    for (const draft of [live, known]) await whenCommitted(draft);
    await giveOctas(fund.address, APT_OCTAS);
    await liveFor(fund, MINUTE_MS);
    expect(await aptosStatesOf(fund)).toEqual(["complete", "complete"]);
    await expectQuiet(fund);
    expect(reasonOf(await aptosSponsor(fund, draftOf(newUser())))).toBe("storage");

    endFault();
    await landed(fund, draftOf(newUser()));
    await liveFor(fund, 5 * SECOND_MS);
    await expectQuiet(fund);
  },
);
