import type { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { expect, test } from "vitest";
import { DEMO_COUNTER, DEMO_PACKAGE } from "./demo.ts";
import { nodeSql } from "./node-sql.ts";
import { taggedDigest } from "./sui/hash.ts";
import { signAll, startChain } from "./testing.ts";

const SUI = 1_000_000_000n;

test.each(["binary", "text"] as const)(
  "the stock client builds and executes a sponsored transaction over %s gRPC-web",
  async (format) => {
    const { client, account } = await startChain(undefined, format);
    const user = await account();
    const sponsor = await account(SUI);
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("first")] });
    transaction.moveCall({
      target: `${DEMO_PACKAGE}::demo::increment`,
      arguments: [transaction.object(DEMO_COUNTER.objectId)],
    });
    transaction.setSender(user.toSuiAddress());
    transaction.setGasOwner(sponsor.toSuiAddress());
    const bytes = await transaction.build({ client });
    const signatures = await signAll(bytes, sponsor, user);
    const { Transaction: executed } = await client.executeTransaction({
      transaction: bytes,
      signatures,
      include: { effects: true, events: true, balanceChanges: true, transaction: true, objectTypes: true },
    });

    const { gasUsed, changedObjects, gasObject } = executed?.effects ?? {};
    const net =
      BigInt(gasUsed?.computationCost ?? 0) + BigInt(gasUsed?.storageCost ?? 0) - BigInt(gasUsed?.storageRebate ?? 0);
    expect(executed?.balanceChanges).toEqual([
      { address: sponsor.toSuiAddress(), coinType: expect.stringContaining("::sui::SUI"), amount: String(-net) },
    ]);
    expect(gasObject?.outputOwner?.AddressOwner).toBe(sponsor.toSuiAddress());
    expect(changedObjects?.map(({ idOperation }) => idOperation).sort()).toEqual(["Created", "None", "None"]);
    expect(Object.values(executed?.objectTypes ?? {})).toContain(`${DEMO_PACKAGE}::demo::Badge`);
    expect(executed?.transaction?.sender).toBe(user.toSuiAddress());
    expect(executed?.events?.[0]).toMatchObject({
      packageId: DEMO_PACKAGE,
      module: "demo",
      sender: user.toSuiAddress(),
      eventType: `${DEMO_PACKAGE}::demo::BadgeMinted`,
      json: { name: "first", owner: user.toSuiAddress() },
    });

    const digest = executed?.digest ?? "";
    const found = await client.waitForTransaction({ digest, include: { effects: true, bcs: true } });
    expect(found.Transaction?.effects?.bcs).toEqual(executed?.effects?.bcs);
    expect(found.Transaction?.bcs).toEqual(bytes);
    const { response } = await client.ledgerService.getTransaction({ digest, readMask: { paths: ["events"] } });
    const events = response.transaction?.events;
    expect(executed?.effects?.eventsDigest).toBe(events?.digest);
    expect(taggedDigest("TransactionEvents", events?.bcs?.value ?? new Uint8Array())).toBe(events?.digest);
  },
);

test("the chain survives a restart on the same storage", async () => {
  const sql = nodeSql();
  const before = await startChain(sql);
  const user = await before.account(3n * SUI, 2n * SUI);
  await before.control("POST", "/control/epoch", { advance: 2, referenceGasPrice: "750" });
  const owned = await before.client.listCoins({ owner: user.toSuiAddress() });
  const { chainIdentifier } = await before.client.getChainIdentifier();

  const after = await startChain(sql);
  expect(await after.client.listCoins({ owner: user.toSuiAddress() })).toEqual(owned);
  expect(await after.client.getChainIdentifier()).toEqual({ chainIdentifier });
  const { systemState } = await after.client.getCurrentSystemState();
  expect(systemState).toMatchObject({ epoch: "2", referenceGasPrice: "750" });
  await after.fund(user.toSuiAddress(), SUI);
  expect((await after.client.getBalance({ owner: user.toSuiAddress() })).balance.coinBalance).toBe(String(6n * SUI));
});

test("service info, epoch and protocol config are what the client reads from a node", async () => {
  const { client, clock } = await startChain();
  clock.nowMs += 60_000;
  const { response } = await client.ledgerService.getServiceInfo({});
  expect(response).toMatchObject({ chain: "unknown", epoch: 0n });
  expect(response.timestamp?.seconds).toBe(BigInt(clock.nowMs / 1_000));
  expect(response.checkpointHeight).toBe(241n);
  expect(await client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
  const { systemState } = await client.getCurrentSystemState();
  expect(systemState.epochStartTimestampMs).toBe(String(clock.nowMs - 60_000));
  expect(Object.values(systemState.parameters).concat(Object.values(systemState.stakeSubsidy))).not.toContain(null);
  expect(systemState.parameters.epochDurationMs).toBe("86400000");
  const { protocolConfig } = await client.getProtocolConfig();
  expect(protocolConfig).toMatchObject({ protocolVersion: "140", attributes: { max_tx_gas: "50000000000000" } });
});

test("owned objects come page by page, larger coins first, and can be filtered by type", async () => {
  const { client, account } = await startChain();
  const amounts = Array.from({ length: 25 }, (_, index) => SUI + BigInt(index));
  const user = await account(...amounts);
  const owner = user.toSuiAddress();

  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await client.listCoins({ owner, limit: 10, cursor });
    expect(page.objects.length).toBeLessThanOrEqual(10);
    seen.push(...page.objects.map(({ balance }) => balance));
    cursor = page.cursor;
  } while (cursor !== null);
  expect(seen).toEqual(amounts.map(String).reverse());
  expect((await client.getBalance({ owner })).balance.balance).toBe(String(amounts.reduce((sum, one) => sum + one)));

  await mintBadge(client, user);

  const badges = await client.listOwnedObjects({
    owner,
    type: `${DEMO_PACKAGE}::demo::Badge`,
    include: { json: true },
  });
  expect(badges.objects.map(({ json }) => json)).toEqual([expect.objectContaining({ name: "badge" })]);
  const everyCoin = await client.stateService.listOwnedObjects({ owner, objectType: "0x2::coin::Coin" });
  expect(everyCoin.response.objects).toHaveLength(1);
});

test("coins of equal balance are not lost or repeated between pages", async () => {
  const { client, account } = await startChain();
  const user = await account(...Array.from({ length: 23 }, () => SUI));
  const owner = user.toSuiAddress();
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await client.listCoins({ owner, limit: 5, cursor });
    ids.push(...page.objects.map(({ objectId }) => objectId));
    cursor = page.cursor;
  } while (cursor !== null);
  expect(ids).toHaveLength(23);
  expect(new Set(ids).size).toBe(23);
  expect(ids).toEqual([...ids].sort());
  const { balances } = await client.listBalances({ owner });
  expect(balances.map(({ balance }) => balance)).toEqual([String(23n * SUI)]);
});

test("balances beyond 2^53 MIST are exact, in sums and in page order", async () => {
  const { client, account } = await startChain();
  const amounts = [9_007_199_254_740_993n, 9_007_199_254_740_992n, 9_007_199_254_740_991n];
  const owner = (await account(...amounts)).toSuiAddress();
  const first = await client.listCoins({ owner, limit: 1 });
  const second = await client.listCoins({ owner, limit: 1, cursor: first.cursor });
  expect([...first.objects, ...second.objects].map(({ balance }) => balance)).toEqual(amounts.slice(0, 2).map(String));
  expect((await client.getBalance({ owner })).balance.coinBalance).toBe("27021597764222976");
});

test("a batch answers each object and transaction by itself and takes no more than 50", async () => {
  const { client } = await startChain();
  const missing = `0x${"ab".repeat(32)}`;
  const { objects } = await client.getObjects({ objectIds: [DEMO_COUNTER.objectId, missing], include: { json: true } });
  expect(objects[0]).toMatchObject({ json: { value: "0" }, owner: { Shared: { initialSharedVersion: "1" } } });
  expect(objects[1]).toMatchObject({ code: "notExists", message: `Object ${missing} not found` });

  const digest = "11111111111111111111111111111111";
  const batch = await client.ledgerService.batchGetTransactions({ digests: [digest] });
  expect(batch.response.transactions[0]?.result).toMatchObject({ oneofKind: "error", error: { code: 5 } });
  await expect(client.getTransaction({ digest })).rejects.toMatchObject({ reason: "notFound" });
  const requests = Array.from({ length: 51 }, () => ({ objectId: missing }));
  await expect(client.ledgerService.batchGetObjects({ requests })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a read mask selects fields, a shorter path swallows longer ones, and an unknown path is refused", async () => {
  const { client } = await startChain();
  const read = (...paths: string[]) =>
    client.ledgerService.getObject({ objectId: DEMO_COUNTER.objectId, readMask: { paths } });
  expect((await read("version")).response.object).toEqual({ version: 1n });
  expect((await read("owner.version", "owner")).response.object?.owner).toEqual({ kind: 3, version: 1n });
  expect((await read("owner.version")).response.object?.owner).toEqual({ version: 1n });
  await expect(read("colour")).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "invalid read_mask path: colour",
  });
});

test("an older version of an object stays readable", async () => {
  const { client, account } = await startChain();
  const user = await account(SUI);
  await mintBadge(client, user);
  const coin = (await client.listCoins({ owner: user.toSuiAddress() })).objects[0];
  const older = await client.ledgerService.getObject({
    objectId: coin?.objectId ?? "",
    version: BigInt(coin?.version ?? 0) - 1n,
    readMask: { paths: ["balance"] },
  });
  expect(older.response.object?.balance).toBe(SUI);
});

test("a function's signature is read as from a node", async () => {
  const { client } = await startChain();
  const { function: increment } = await client.getMoveFunction({
    packageId: DEMO_PACKAGE,
    moduleName: "demo",
    name: "increment_by",
  });
  expect(increment.parameters).toEqual([
    {
      reference: "mutable",
      body: { $kind: "datatype", datatype: { typeName: `${DEMO_PACKAGE}::demo::Counter`, typeParameters: [] } },
    },
    { reference: null, body: { $kind: "u64" } },
  ]);
});

async function mintBadge(client: SuiGrpcClient, user: Ed25519Keypair): Promise<void> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("badge")] });
  await client.signAndExecuteTransaction({ transaction, signer: user });
}
