import { AccountAddress } from "@aptos-labs/ts-sdk";
import { describe, expect, onTestFinished } from "vitest";
import * as z from "zod";
import { displayAddress } from "../../devchain/aptos/address.ts";
import { badgeAddress } from "../../devchain/aptos/move/demo.ts";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import { admin } from "../../harness/harness.ts";
import {
  aptos,
  balanceOf,
  chainSeconds,
  chargeOf,
  entryFunction,
  expectReconciled,
  giveApt,
  newAccount,
  OCTAS_PER_APT,
  rawTransaction,
  refusalOf,
  sponsorshipsOf,
  transferTo,
} from "../../support/aptos.ts";
import { holdConsensus } from "../../support/chain-control.ts";
import { figuresOf } from "../../support/operator.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { addressIn, call, newAptosApp, newWallet, pendingIn } from "./app.ts";

/** Whether `0x1::account::Account` is there: an address without it still has a sequence number (AIP-115). */
async function isOnChain(address: string): Promise<boolean> {
  const resource = aptos.getAccountResource({ accountAddress: address, resourceType: "0x1::account::Account" });
  return resource.then(
    () => true,
    () => false,
  );
}

async function untilOnChain(address: string): Promise<void> {
  await expect.poll(() => isOnChain(address), { timeout: 60_000 }).toBe(true);
}

describe("a wallet comes on chain", () => {
  shortTest("by wal_initializeWalletOnChain: once, paid by the fund, and then it is -32013", async () => {
    const app = await newAptosApp();
    const { walletId, address } = await newWallet(app);
    expect(await isOnChain(address)).toBe(false);
    expect(addressIn(await call(app.key, "wal_initializeWalletOnChain", [walletId, app.token]))).toBe(address);
    await untilOnChain(address);
    expect(refusalOf(await call(app.key, "wal_initializeWalletOnChain", [walletId, app.token]))).toEqual({
      code: -32013,
      reason: "already_initialized",
    });
    await expectReconciled(app.fund);
    const [row, ...others] = await sponsorshipsOf(app.fund.fundId);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ state: "complete", sender: address });
    const charged = await chargeOf(row?.digest ?? "");
    expect(await balanceOf(app.fund.depositAddress)).toBe(10n * OCTAS_PER_APT - charged);
    expect(await balanceOf(address)).toBe(0n);
  });

  longTest("once, however often it is asked for meanwhile", async () => {
    const app = await newAptosApp();
    const { walletId, address } = await newWallet(app);
    await holdConsensus(true);
    onTestFinished(() => holdConsensus(false));
    const initialize = () => call(app.key, "wal_initializeWalletOnChain", [walletId, app.token]);
    const together = await Promise.all([initialize(), initialize(), initialize()]);
    for (const answer of [...together, await initialize()]) expect(addressIn(answer)).toBe(address);
    expect(await sponsorshipsOf(app.fund.fundId)).toHaveLength(1);
    await holdConsensus(false);
    await untilOnChain(address);
    expect(refusalOf(await initialize()).code).toBe(-32013);
    await expectReconciled(app.fund);
  });

  shortTest("by wal_createWalletOnChain, from its creation on", async () => {
    const app = await newAptosApp();
    const address = addressIn(await call(app.key, "wal_createWalletOnChain", ["user-1", app.token], "first"));
    await untilOnChain(address);
    expect(addressIn(await call(app.key, "wal_getWallet", ["user-1"]))).toBe(address);
    expect(addressIn(await call(app.key, "wal_createWalletOnChain", ["user-1", app.token], "first"))).toBe(address);
    expect(refusalOf(await call(app.key, "wal_createWalletOnChain", ["user-1", app.token])).reason).toBe(
      "Wallet ID already exists",
    );
    expect(await sponsorshipsOf(app.fund.fundId)).toHaveLength(1);
  });

  longTest("by its first gasless transaction", async () => {
    const app = await newAptosApp();
    const { walletId, address } = await newWallet(app);
    const raw = await rawTransaction(address, entryFunction(`${APTOS_DEMO_MODULE}::increment`, []));
    const answer = await call(app.key, "wal_executeGaslessTransaction", [
      walletId,
      app.token,
      raw.bcsToHex().toString(),
    ]);
    const { hash } = pendingIn(answer);
    expect(await aptos.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true });
    expect(await isOnChain(address)).toBe(true);
    await expectReconciled(app.fund);
  });
});

longTest("coins and an object that were sent before the wallet was on chain are its own afterwards", async () => {
  const app = await newAptosApp();
  const { walletId, address } = await newWallet(app);
  await giveApt(address, 3n * OCTAS_PER_APT);
  const minter = newAccount();
  await giveApt(minter.accountAddress.toString(), OCTAS_PER_APT);
  const transaction = await aptos.transaction.build.simple({
    sender: minter.accountAddress,
    data: { function: `${APTOS_DEMO_MODULE}::mint`, functionArguments: ["a gift", address] },
    options: { maxGasAmount: 20_000, expireTimestamp: Number(await chainSeconds()) + 60 },
  });
  const minted = await aptos.signAndSubmitTransaction({ signer: minter, transaction });
  await aptos.waitForTransaction({ transactionHash: minted.hash });

  expect(addressIn(await call(app.key, "wal_initializeWalletOnChain", [walletId, app.token]))).toBe(address);
  await untilOnChain(address);
  const receiver = newAccount().accountAddress.toString();
  const badge = AccountAddress.from(badgeAddress(minter.accountAddress.toStringLong(), "a gift"));
  for (const [sequenceNumber, payload] of [
    [1n, transferTo(receiver, OCTAS_PER_APT)],
    [2n, entryFunction("0x1::object::transfer_call", [badge, AccountAddress.from(receiver)])],
  ] as const) {
    const raw = await rawTransaction(address, payload, { sequenceNumber });
    const params = [walletId, app.token, raw.bcsToHex().toString()];
    const { hash } = pendingIn(await call(app.key, "wal_executeGaslessTransaction", params));
    expect(await aptos.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true });
  }
  expect(await balanceOf(receiver)).toBe(OCTAS_PER_APT);
  expect(await balanceOf(address)).toBe(2n * OCTAS_PER_APT);
  const core = z.object({ owner: z.string() });
  const object = await aptos.getAccountResource({ accountAddress: badge, resourceType: "0x1::object::ObjectCore" });
  expect(core.parse(object).owner).toBe(displayAddress(receiver));
});

describe("wal_createWalletOnChain is refused before a wallet is made or counted", () => {
  shortTest("by a fund that is empty, or paused", async () => {
    const app = await newAptosApp(0n);
    const create = () => call(app.key, "wal_createWalletOnChain", ["user-1", app.token]);
    expect(refusalOf(await create())).toEqual({ code: -2, reason: "balance_too_low" });
    await admin("PATCH", `/funds/${app.fund.fundId}`, { paused: true });
    expect(refusalOf(await create()).reason).toBe("fund_paused");
    expect(refusalOf(await call(app.key, "wal_getWallet", ["user-1"])).reason).toBe("unknown_wallet");
    expect((await figuresOf(app.fund.fundId)).inFlight).toBe(0n);
  });

  longTest("at the monthly limit, which counts what is made", async () => {
    const app = await newAptosApp();
    await admin("PATCH", `/projects/${app.fund.projectId}`, { walletsPerMonth: 1 });
    const address = addressIn(await call(app.key, "wal_createWalletOnChain", ["user-1", app.token]));
    expect(refusalOf(await call(app.key, "wal_createWalletOnChain", ["user-2", app.token]))).toEqual({
      code: -32012,
      reason: "quota_reached",
    });
    expect(refusalOf(await call(app.key, "wal_getWallet", ["user-2"])).reason).toBe("unknown_wallet");
    await untilOnChain(address);
    expect(await sponsorshipsOf(app.fund.fundId)).toHaveLength(1);
  });
});
