import { Transaction } from "@mysten/sui/transactions";
import { describe, expect, test } from "vitest";
import { DEMO_COUNTER, DEMO_PACKAGE } from "./demo.ts";
import { nodeSql } from "./node-sql.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const EPOCH_DURATION_MS = 86_400_000;
const LAG_MS = 2_000;
/** A transaction shows once its checkpoint, which takes 250 ms, was complete for the time of the lag. */
const SHOWN_AFTER_MS = LAG_MS + 250;

/** A chain whose endpoint `behind` lags. */
async function startLagging(): Promise<TestChain> {
  const chain = await startChain();
  await chain.control("POST", "/control/lag", { endpoint: "behind", lagMs: LAG_MS });
  return chain;
}

function incrementing(by = 1n): Transaction {
  const transaction = new Transaction();
  const counter = transaction.object(DEMO_COUNTER.objectId);
  transaction.moveCall({
    target: `${DEMO_PACKAGE}::demo::increment_by`,
    arguments: [counter, transaction.pure.u64(by)],
  });
  return transaction;
}

describe("an endpoint that lags", () => {
  test("shows none of what is younger than its lag, and all of it afterwards", async () => {
    const { client, clientOf, clock, account } = await startLagging();
    const behind = clientOf("behind");
    const user = await account(3n * SUI, 2n * SUI);
    const owner = user.toSuiAddress();
    clock.nowMs += SHOWN_AFTER_MS;

    const badge = new Transaction();
    badge.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [badge.pure.string("x")] });
    const before = await read();
    const { Transaction: executed } = await client.signAndExecuteTransaction({ transaction: badge, signer: user });
    const digest = executed?.digest ?? "";

    expect(await read()).toEqual(before);
    expect((await client.listOwnedObjects({ owner })).objects).toHaveLength(2);
    await expect(behind.getTransaction({ digest })).rejects.toMatchObject({ reason: "notFound" });
    const batch = await behind.ledgerService.batchGetTransactions({ digests: [digest] });
    expect(batch.response.transactions[0]?.result).toMatchObject({ oneofKind: "error", error: { code: 5 } });
    const [coin] = (await client.listCoins({ owner })).objects;
    const newVersion = { objectId: coin?.objectId ?? "", version: BigInt(coin?.version ?? 0) };
    await expect(behind.ledgerService.getObject(newVersion)).rejects.toMatchObject({ code: "NOT_FOUND" });

    clock.nowMs += LAG_MS - 1;
    expect(await read()).toEqual(before);
    clock.nowMs += 251;
    expect(await read()).toEqual(await read(client));
    expect((await behind.getTransaction({ digest })).Transaction?.digest).toBe(digest);
    expect((await behind.ledgerService.getObject(newVersion)).response.object?.version).toBe(newVersion.version);

    async function read(node = behind) {
      const owned = await node.listOwnedObjects({ owner, include: { content: true } });
      const { objects } = await node.getObjects({ objectIds: owned.objects.map(({ objectId }) => objectId) });
      return {
        owned,
        objects,
        coins: await node.listCoins({ owner }),
        balance: await node.getBalance({ owner }),
        balances: await node.listBalances({ owner }),
      };
    }
  });

  test("shows an object that is deleted since, and does not show one that is made since", async () => {
    const { client, clientOf, clock, account } = await startLagging();
    const behind = clientOf("behind");
    const user = await account(3n * SUI, 2n * SUI);
    const owner = user.toSuiAddress();
    clock.nowMs += SHOWN_AFTER_MS;
    const coins = (await client.listCoins({ owner })).objects;
    const [kept, merged] = coins.map(({ objectId }) => objectId);

    const transaction = new Transaction();
    transaction.setGasPayment(coins);
    const [split] = transaction.splitCoins(transaction.gas, [5n]);
    transaction.transferObjects([split], owner);
    await client.signAndExecuteTransaction({ transaction, signer: user });
    const [made] = (await client.listCoins({ owner })).objects.filter(({ objectId }) => objectId !== kept);

    const objectIds = [kept ?? "", merged ?? "", made?.objectId ?? ""];
    const seen = async () =>
      (await behind.getObjects({ objectIds })).objects.map((object) => !(object instanceof Error));
    expect(await seen()).toEqual([true, true, false]);
    expect((await behind.listCoins({ owner })).objects.map(({ balance }) => balance)).toEqual(
      [3n * SUI, 2n * SUI].map(String),
    );
    clock.nowMs += SHOWN_AFTER_MS;
    expect(await seen()).toEqual([true, false, true]);
  });

  test("pages through its past as through the present", async () => {
    const { client, clientOf, clock, account } = await startLagging();
    const amounts = [7n, 7n, 7n, 5n, 3n, 2n].map((amount) => amount * SUI);
    const user = await account(...amounts);
    const owner = user.toSuiAddress();
    const present = await allCoins(client);
    clock.nowMs += SHOWN_AFTER_MS;
    await client.signAndExecuteTransaction({ transaction: incrementing(), signer: user });
    expect(await allCoins(clientOf("behind"))).toEqual(present);
    expect(await allCoins(client)).not.toEqual(present);

    async function allCoins(node: typeof client) {
      const coins: { objectId: string; balance: string; version: string }[] = [];
      let cursor: string | null = null;
      do {
        const page = await node.listCoins({ owner, limit: 2, cursor });
        coins.push(...page.objects.map(({ objectId, balance, version }) => ({ objectId, balance, version })));
        cursor = page.cursor;
      } while (cursor !== null);
      return coins;
    }
  });

  test("is behind with its height and its time, which fit what it shows", async () => {
    const { client, clientOf, clock, control, account } = await startLagging();
    const info = async (node = client) => (await node.ledgerService.getServiceInfo({})).response;
    clock.nowMs += 10_000;
    await control("POST", "/control/epoch", { advance: 1 });
    const user = await account(SUI);
    const { Transaction: executed } = await client.signAndExecuteTransaction({
      transaction: incrementing(),
      signer: user,
      include: { effects: true },
    });
    const digest = executed?.digest ?? "";
    const found = await client.ledgerService.getTransaction({ digest, readMask: { paths: ["checkpoint"] } });
    const committedIn = found.response.transaction?.checkpoint ?? 0n;

    for (let stepMs = 0; stepMs <= SHOWN_AFTER_MS + 750; stepMs += 50) {
      const { checkpointHeight = 0n, timestamp, epoch } = await info(clientOf("behind"));
      const shownMs = Number(timestamp?.seconds) * 1_000 + Number(timestamp?.nanos) / 1_000_000;
      expect(shownMs).toBeLessThanOrEqual(clock.nowMs - LAG_MS);
      expect(shownMs).toBeGreaterThanOrEqual(clock.nowMs - SHOWN_AFTER_MS);
      const shows = await clientOf("behind")
        .getTransaction({ digest })
        .then(
          () => true,
          () => false,
        );
      expect(shows).toBe(checkpointHeight >= committedIn);
      // The transaction ran in the new epoch, so whoever shows it is in that epoch.
      const { systemState } = await clientOf("behind").getCurrentSystemState();
      expect(systemState.epoch).toBe(String(epoch));
      expect(epoch).toBe(checkpointHeight >= committedIn ? 1n : 0n);
      if (stepMs < LAG_MS) expect(shows).toBe(false);
      // An epoch begins with a checkpoint of its own, which may be one ahead of the clock.
      if (stepMs > SHOWN_AFTER_MS + 250) expect(shows).toBe(true);
      clock.nowMs += 50;
    }
    expect((await info()).epoch).toBe(1n);
  });

  test("does not know an epoch that began within its lag", async () => {
    const { client, clientOf, clock, control } = await startLagging();
    await control("POST", "/control/epoch", { advance: 1, referenceGasPrice: "1500" });
    expect(await clientOf("behind").getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
    await expect(clientOf("behind").ledgerService.getEpoch({ epoch: 1n })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1500" });
    clock.nowMs += SHOWN_AFTER_MS + 250;
    expect(await clientOf("behind").getReferenceGasPrice()).toEqual({ referenceGasPrice: "1500" });
  });

  test("executes on the present, and answers a repetition before it shows the transaction", async () => {
    const { client, clientOf, clock, account } = await startLagging();
    const behind = clientOf("behind");
    const user = await account(SUI);
    clock.nowMs += SHOWN_AFTER_MS;
    const transaction = incrementing();
    transaction.setSender(user.toSuiAddress());
    const bytes = await transaction.build({ client });
    const { signature } = await user.signTransaction(bytes);
    const submit = () => behind.executeTransaction({ transaction: bytes, signatures: [signature] });
    const first = await submit();
    expect((await client.getTransaction({ digest: first.Transaction?.digest ?? "" })).$kind).toBe("Transaction");
    await expect(behind.getTransaction({ digest: first.Transaction?.digest ?? "" })).rejects.toThrow();
    expect((await submit()).Transaction?.digest).toBe(first.Transaction?.digest);
  });

  test("builds transactions on versions that are consumed already, which the chain then refuses", async () => {
    const { client, clientOf, clock, account } = await startLagging();
    const behind = clientOf("behind");
    const user = await account(SUI);
    clock.nowMs += SHOWN_AFTER_MS;
    await client.signAndExecuteTransaction({ transaction: incrementing(), signer: user });
    const stale = () => behind.signAndExecuteTransaction({ transaction: incrementing(2n), signer: user });
    await expect(stale()).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("is unavailable for consumption, current version"),
    });
    clock.nowMs += SHOWN_AFTER_MS;
    expect((await stale()).$kind).toBe("Transaction");
  });

  test("shows by itself that an epoch is over, and later by its lag", async () => {
    const { client, clientOf, clock } = await startLagging();
    const epochOf = async (node = client) => (await node.ledgerService.getEpoch({})).response.epoch?.epoch;
    clock.nowMs += EPOCH_DURATION_MS;
    expect(await epochOf(clientOf("behind"))).toBe(0n);
    clock.nowMs += SHOWN_AFTER_MS;
    expect(await epochOf(clientOf("behind"))).toBe(1n);
  });

  test("can be the default endpoint, and stops lagging when told to", async () => {
    const { client, clientOf, clock, control, account } = await startChain();
    await control("POST", "/control/lag", { lagMs: LAG_MS });
    clock.nowMs += 1_000;
    const owner = (await account(SUI)).toSuiAddress();
    const balance = async (node = client) => (await node.getBalance({ owner })).balance.balance;
    expect(await balance()).toBe("0");
    expect(await balance(clientOf("a"))).toBe(String(SUI));
    await control("POST", "/control/lag", { lagMs: 0 });
    expect(await balance()).toBe(String(SUI));
  });
});

describe("endpoints", () => {
  test("are one chain: what one executes, the others show", async () => {
    const { client, clientOf, account } = await startChain();
    const user = await account(SUI);
    const { Transaction: executed } = await clientOf("a").signAndExecuteTransaction({
      transaction: incrementing(),
      signer: user,
    });
    const digest = executed?.digest ?? "";
    for (const node of [client, clientOf("a"), clientOf("b"), clientOf("default")]) {
      expect((await node.getTransaction({ digest })).Transaction?.digest).toBe(digest);
      expect(await node.getChainIdentifier()).toEqual(await client.getChainIdentifier());
    }
  });

  test("have names of letters and digits only", async () => {
    const { control } = await startChain();
    for (const path of ["/sui/A", "/sui/a-b", `/sui/${"a".repeat(17)}`, "/sui/a/b"]) {
      expect((await control("POST", `${path}/sui.rpc.v2.LedgerService/GetEpoch`)).status).toBe(404);
    }
  });
});

test("a restart forgets lags, faults and counts, and nothing else", async () => {
  const sql = nodeSql();
  const before = await startChain(sql);
  const owner = (await before.account(SUI)).toSuiAddress();
  await before.control("POST", "/control/lag", { lagMs: LAG_MS });
  await before.control("POST", "/control/price", { referenceGasPrice: "1500" });
  const fault = { method: "StateService/GetBalance", mode: "unavailable", times: 9 };
  await before.control("POST", "/control/fault", fault);
  await before.client.getReferenceGasPrice();

  const after = await startChain(sql);
  expect(await (await after.control("GET", "/control/calls")).json()).toEqual({});
  expect((await after.client.getBalance({ owner })).balance.balance).toBe(String(SUI));
  await after.control("POST", "/control/epoch", { advance: 1 });
  expect(await after.client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1500" });
});

describe("a reset", () => {
  test("starts another chain with nothing of the old one, and its faucet pays", async () => {
    const { client, clientOf, chain, control, account, fund } = await startChain();
    const old = await client.ledgerService.getServiceInfo({});
    const user = await account(SUI);
    const { Transaction: executed } = await client.signAndExecuteTransaction({
      transaction: incrementing(),
      signer: user,
    });
    const oldFaucet = chain.sui.faucet;
    await control("POST", "/control/epoch", { advance: 3, referenceGasPrice: "1500" });
    await control("POST", "/control/lag", { endpoint: "a", lagMs: LAG_MS });
    await control("POST", "/control/fault", { method: "LedgerService/GetEpoch", mode: "unavailable", times: 9 });
    expect((await control("POST", "/control/reset")).status).toBe(200);

    const { response } = await client.ledgerService.getServiceInfo({});
    expect(response.chainId).not.toBe(old.response.chainId);
    expect(response).toMatchObject({ epoch: 0n, checkpointHeight: 1n });
    expect(await client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
    const owner = user.toSuiAddress();
    expect((await client.listOwnedObjects({ owner })).objects).toEqual([]);
    await expect(client.getTransaction({ digest: executed?.digest ?? "" })).rejects.toMatchObject({
      reason: "notFound",
    });
    expect((await client.getObject({ objectId: DEMO_COUNTER.objectId, include: { json: true } })).object.json).toEqual(
      expect.objectContaining({ value: "0" }),
    );
    expect(await (await control("GET", "/control/calls?endpoint=a")).json()).toEqual({});
    await expect(oldFaucet(owner, SUI)).rejects.toThrow("the development chain was reset");
    await fund(owner, SUI);
    expect((await clientOf("a").getBalance({ owner })).balance.balance).toBe(String(SUI));
  });

  test("survives a restart and other resets at the same time", async () => {
    const sql = nodeSql();
    const { client, control } = await startChain(sql);
    await Promise.all([1, 2, 3].map(() => control("POST", "/control/reset")));
    const { response } = await client.ledgerService.getServiceInfo({});
    const again = await startChain(sql);
    expect((await again.client.getChainIdentifier()).chainIdentifier).toBe(response.chainId);
    await again.account(SUI);
  });
});
