import { Transaction } from "@mysten/sui/transactions";
import { expect, test } from "vitest";
import { inputReadUnits, senderRebate } from "./sui/gas.ts";
import { LATEST_PROTOCOL, PROTOCOL_VERSIONS, protocolOf } from "./sui/protocol.ts";
import { signAll, startChain, startRecordedChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const COIN_DEPOSIT_MIST = 988_000n;

/** What is lost of the storage deposit of a coin that is written again. */
async function lostMist({ client, account }: TestChain): Promise<string | undefined> {
  const user = await account(SUI);
  const transaction = new Transaction();
  transaction.setSender(user.toSuiAddress());
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1n])], user.toSuiAddress());
  const bytes = await transaction.build({ client });
  const signatures = await signAll(bytes, user);
  const result = await client.executeTransaction({ transaction: bytes, signatures, include: { effects: true } });
  return result.Transaction?.effects?.gasUsed.nonRefundableStorageFee;
}

test("a coin that is written again loses 1 % of its deposit before protocol 138, and 0.01 % since", async () => {
  expect(await lostMist(await startRecordedChain())).toBe("9880");
  expect(await lostMist(await startChain())).toBe("99");
});

test("the chain changes its version while it runs, and says which it has", async () => {
  const chain = await startChain();
  const versionOf = async () => (await chain.client.getCurrentSystemState()).systemState.protocolVersion;
  expect(await versionOf()).toBe(String(LATEST_PROTOCOL));
  expect((await chain.control("POST", "/control/protocol", { version: 137 })).status).toBe(200);
  expect(await versionOf()).toBe("137");
  expect(await lostMist(chain)).toBe("9880");
  expect((await chain.control("POST", "/control/protocol", { version: 1 })).status).toBe(400);
  const { protocolConfig } = await chain.client.getProtocolConfig();
  expect(protocolConfig.attributes).toMatchObject({ storage_rebate_rate: "9900" });
  expect(protocolConfig.featureFlags).toMatchObject({ enable_allowances: false, enable_gasless: true });
  await chain.control("POST", "/control/reset");
  expect(await versionOf()).toBe(String(LATEST_PROTOCOL));
});

test("a package of 100 kB costs 1,500 units to read before protocol 139, and 15 since", () => {
  expect(inputReadUnits(2_614n, 105_356n, protocolOf(138))).toBe(1_619n);
  expect(inputReadUnits(2_614n, 105_356n, protocolOf(139))).toBe(55n);
});

test("of each version the rebate rounds half a MIST up", () => {
  for (const version of PROTOCOL_VERSIONS) {
    const protocol = protocolOf(version);
    const lost = version < 138 ? 9_880n : 99n;
    expect(senderRebate(COIN_DEPOSIT_MIST, protocol), `${version}`).toBe(COIN_DEPOSIT_MIST - lost);
  }
});
