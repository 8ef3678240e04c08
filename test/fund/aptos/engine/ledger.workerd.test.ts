import { runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { alterAptos, ledgerAt } from "../../../byzantine-node/altered-aptos-node.ts";
import { draftOf, giveOctas, newUser } from "../../../support/aptos-chain.ts";
import { aptosLedgerOf, newAptosFund, sponsored, useStoppedAptosClock } from "../../../support/aptos-fund.ts";
import { DISK_FAULTS } from "../../../support/failing-disk.ts";
import { alarm, alarmInMs, crash, liveFor, pass, platformStub, SECOND_MS, stub } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

test("a clock that is six seconds behind costs an instance one second look, which its own alarm takes", async () => {
  const fund = await newAptosFund();
  await giveOctas(fund.address, 7n);
  await crash();
  alterAptos(ledgerAt(() => Date.now() + 6 * SECOND_MS));
  pass((await alarmInMs(fund)) ?? 0);
  await alarm(fund);
  expect(await aptosLedgerOf(fund), "the first look").toHaveLength(1);
  await liveFor(fund, 4 * SECOND_MS);
  expect(await aptosLedgerOf(fund), "the second look").toHaveLength(2);
  await sponsored(fund, draftOf(newUser()));
});

test.each(DISK_FAULTS)("a disk that takes nothing of what the ledger is fails no endpoint (%s)", async (code) => {
  const fund = await newAptosFund();
  let refused = 0;
  await runInDurableObject(platformStub(fund), (_, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
      if (!query.trimStart().startsWith("INSERT OR REPLACE INTO fund ")) return exec(query, ...bindings);
      refused += 1;
      throw new Error(`the disk refuses: ${code}`);
    });
  });
  pass(5 * SECOND_MS);
  expect(await stub(fund).refresh()).toMatchObject({ ok: true });
  expect(refused, "writes that the disk has refused").toBeGreaterThan(0);
});
