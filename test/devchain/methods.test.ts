import { bcs } from "@mysten/sui/bcs";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Secp256k1Keypair } from "@mysten/sui/keypairs/secp256k1";
import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_COUNTER, DEMO_PACKAGE } from "./demo.ts";
import { fakePasskey } from "./fake-passkey.ts";
import { signAll, startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const SUI_TYPE = `0x${"2".padStart(64, "0")}::sui::SUI`;
const MISSING = `0x${"ab".repeat(32)}`;

let chain: TestChain;
let client: SuiGrpcClient;
let user: Awaited<ReturnType<TestChain["account"]>>;
let owner: string;

beforeEach(async () => {
  chain = await startChain();
  client = chain.client;
  user = await chain.account(2n * SUI, SUI);
  owner = user.toSuiAddress();
});

function minting(): Transaction {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
  transaction.setSender(owner);
  return transaction;
}

type Case = () => Promise<void>;

/** What every public method of the stock client gives, by its name. */
const METHODS: Readonly<Record<string, Case>> = {
  async getObject() {
    const { object } = await client.getObject({ objectId: DEMO_COUNTER.objectId, include: { json: true } });
    expect(object).toMatchObject({ objectId: DEMO_COUNTER.objectId, version: "1", json: { value: "0" } });
    await expect(client.getObject({ objectId: MISSING })).rejects.toMatchObject({ reason: "notFound" });
  },

  async getObjects() {
    const { objects } = await client.getObjects({
      objectIds: [DEMO_COUNTER.objectId, MISSING],
      include: { content: true, objectBcs: true, previousTransaction: true, display: true },
    });
    expect(objects).toMatchObject([{ type: `${DEMO_PACKAGE}::demo::Counter`, display: null }, { code: "notExists" }]);
  },

  async listCoins() {
    const { objects, hasNextPage } = await client.listCoins({ owner });
    expect(objects.map(({ balance }) => balance)).toEqual([2n * SUI, SUI].map(String));
    expect(hasNextPage).toBe(false);
  },

  async listOwnedObjects() {
    const { objects, cursor } = await client.listOwnedObjects({ owner, limit: 1 });
    expect(objects).toMatchObject([{ owner: { AddressOwner: owner } }]);
    expect((await client.listOwnedObjects({ owner, cursor })).objects).toHaveLength(1);
  },

  async getBalance() {
    const expected = { balance: String(3n * SUI), coinBalance: String(3n * SUI), addressBalance: "0" };
    expect((await client.getBalance({ owner })).balance).toEqual({ ...expected, coinType: SUI_TYPE });
    const nothing = { balance: "0", coinBalance: "0", addressBalance: "0" };
    expect((await client.getBalance({ owner: MISSING })).balance).toMatchObject(nothing);
    await expect(client.getBalance({ owner: "nobody" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  },

  async listBalances() {
    const { balances, hasNextPage } = await client.listBalances({ owner });
    expect(balances).toMatchObject([{ coinType: SUI_TYPE, balance: String(3n * SUI) }]);
    expect(hasNextPage).toBe(false);
    expect((await client.listBalances({ owner: MISSING })).balances).toEqual([]);
  },

  async getCoinMetadata() {
    const { coinMetadata } = await client.getCoinMetadata({ coinType: SUI_TYPE });
    expect(coinMetadata).toMatchObject({ decimals: 9, name: "Sui", symbol: "SUI" });
    expect(await client.getCoinMetadata({ coinType: "0x7::usd::USD" })).toEqual({ coinMetadata: null });
    const info = await client.stateService.getCoinInfo({ coinType: SUI_TYPE });
    expect(info.response.treasury).toEqual({ totalSupply: 9_000_000_000n * SUI, supplyState: 1 });
    await expect(client.stateService.getCoinInfo({ coinType: "0x7::usd::USD" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringMatching(/^Coin type 0x0*7::usd::USD not found$/),
    });
  },

  async getTransaction() {
    const { Transaction: executed } = await client.signAndExecuteTransaction({ transaction: minting(), signer: user });
    const found = await client.getTransaction({ digest: executed?.digest ?? "", include: { effects: true } });
    expect(found.Transaction).toMatchObject({ digest: executed?.digest, status: { success: true } });
    const digest = "11111111111111111111111111111111";
    await expect(client.getTransaction({ digest })).rejects.toMatchObject({ reason: "notFound" });
    await expect(client.getTransaction({ digest: "?" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  },

  async executeTransaction() {
    const bytes = await minting().build({ client });
    const executed = await client.executeTransaction({
      transaction: bytes,
      signatures: await signAll(bytes, user),
      include: { effects: true, events: true, balanceChanges: true, transaction: true, objectTypes: true, bcs: true },
    });
    expect(executed).toMatchObject({ $kind: "Transaction", Transaction: { bcs: bytes, events: [{}] } });
  },

  async signAndExecuteTransaction() {
    const executed = await client.signAndExecuteTransaction({ transaction: minting(), signer: user });
    expect(executed.$kind).toBe("Transaction");
  },

  async waitForTransaction() {
    const result = await client.signAndExecuteTransaction({ transaction: minting(), signer: user });
    expect((await client.waitForTransaction({ result })).$kind).toBe("Transaction");
  },

  async simulateTransaction() {
    const simulated = await client.simulateTransaction({
      transaction: minting(),
      include: { effects: true, commandResults: true },
    });
    expect(simulated).toMatchObject({ $kind: "Transaction", commandResults: [{}] });
    expect((await client.listOwnedObjects({ owner })).objects).toHaveLength(2);
  },

  async getReferenceGasPrice() {
    expect(await client.getReferenceGasPrice()).toEqual({ referenceGasPrice: "1000" });
  },

  async getCurrentSystemState() {
    const { systemState } = await client.getCurrentSystemState();
    expect(systemState).toMatchObject({ epoch: "0", referenceGasPrice: "1000", safeMode: false });
  },

  async getProtocolConfig() {
    const { protocolConfig } = await client.getProtocolConfig();
    expect(protocolConfig).toMatchObject({ protocolVersion: "140", attributes: { max_gas_payment_objects: "256" } });
  },

  async getChainIdentifier() {
    expect((await client.getChainIdentifier()).chainIdentifier).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
  },

  async listDynamicFields() {
    const fields = await client.listDynamicFields({ parentId: DEMO_COUNTER.objectId, include: { value: true } });
    expect(fields).toEqual({ dynamicFields: [], cursor: null, hasNextPage: false });
    await expect(client.listDynamicFields({ parentId: "counter" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const cursor = toBase64(new Uint8Array([1]));
    await expect(client.listDynamicFields({ parentId: DEMO_COUNTER.objectId, cursor })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "invalid page_token",
    });
  },

  async getDynamicField() {
    const name = { type: "u64", bcs: bcs.u64().serialize(1n).toBytes() };
    const field = client.getDynamicField({ parentId: DEMO_COUNTER.objectId, name });
    await expect(field).rejects.toMatchObject({ reason: "notFound" });
  },

  async getDynamicObjectField() {
    const name = { type: "u64", bcs: bcs.u64().serialize(1n).toBytes() };
    const field = client.getDynamicObjectField({ parentId: DEMO_COUNTER.objectId, name });
    await expect(field).rejects.toMatchObject({ reason: "notFound" });
  },

  async listTransactions() {
    const { transactions } = await client.listTransactions({ limit: 1 });
    expect(transactions.length).toBeLessThanOrEqual(1);
  },

  async listEvents() {
    const { events, hasNextPage } = await client.listEvents({ limit: 1 });
    expect([events.length, hasNextPage]).toEqual([0, false]);
  },

  async getMoveFunction() {
    const called = { packageId: DEMO_PACKAGE, moduleName: "demo", name: "value" };
    expect((await client.getMoveFunction(called)).function).toMatchObject({
      name: "value",
      visibility: "public",
      parameters: [{ reference: "immutable" }],
      returns: [{ body: { $kind: "u64" } }],
    });
    await expect(client.getMoveFunction({ ...called, name: "nothing" })).rejects.toMatchObject({
      code: "INTERNAL",
      message: "Function not found: nothing",
    });
    await expect(client.getMoveFunction({ ...called, packageId: MISSING })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  },

  async resolveTransactionPlugin() {
    expect(client.resolveTransactionPlugin()).toBeTypeOf("function");
    const built = Transaction.from(await minting().build({ client })).getData();
    expect(built.gasData).toMatchObject({ owner, payment: [{}, {}], price: "1000" });
  },

  async verifyZkLoginSignature() {
    const bytes = toBase64(await minting().build({ client }));
    const verify = (signature: string) =>
      client.verifyZkLoginSignature({ bytes, signature, intentScope: "TransactionData", address: owner });
    expect(await verify(toBase64(new Uint8Array([5, 1, 2, 3])))).toEqual({
      success: false,
      errors: ["signature error: support for zklogin is not enabled"],
    });
  },

  async defaultNameServiceName() {
    await expect(client.defaultNameServiceName({ address: owner })).rejects.toMatchObject({ code: "NOT_FOUND" });
  },

  async resolveNameServiceAddress() {
    expect(await client.resolveNameServiceAddress({ name: "nobody.sui" })).toEqual({ address: null });
    expect(await client.resolveNameServiceAddress({ name: "@nobody" })).toEqual({ address: null });
    await expect(client.resolveNameServiceAddress({ name: "nobody" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  },
};

/** What tonic generates for a method that a node does not implement. */
const NOT_IMPLEMENTED = { name: "RpcError", code: "UNIMPLEMENTED", message: "Not yet implemented" };

test.each(Object.entries(METHODS))("the stock client's %s", async (_name, check) => {
  await check();
});

test("the list above has every public method of the stock client", () => {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(SuiGrpcClient.prototype))
    .filter(([name, { value }]) => name !== "constructor" && typeof value === "function")
    .map(([name]) => name);
  expect(Object.keys(METHODS).sort()).toEqual(methods.sort());
});

describe("methods that only the generated clients call", () => {
  test("streams are refused in the words of a node that does not have them", async () => {
    const { ledgerService, subscriptionService } = client;
    const streams = {
      "Not yet implemented": [ledgerService.listCheckpoints({})],
      "subscription service not enabled": [
        subscriptionService.subscribeCheckpoints({}),
        subscriptionService.subscribeTransactions({}),
        subscriptionService.subscribeEvents({}),
      ],
    };
    for (const [message, calls] of Object.entries(streams)) {
      for (const call of calls) {
        await expect(call.status).rejects.toMatchObject({ code: "UNIMPLEMENTED", message });
      }
    }
  });

  test("a method that is not served here is UNIMPLEMENTED, as is one that no node has", async () => {
    await expect(client.movePackageService.getDatatype({ packageId: DEMO_PACKAGE })).rejects.toMatchObject(
      NOT_IMPLEMENTED,
    );
    await expect(client.movePackageService.listPackageVersions({ packageId: DEMO_PACKAGE })).rejects.toMatchObject(
      NOT_IMPLEMENTED,
    );
    await expect(client.forkingService.getStatus({})).rejects.toMatchObject({
      code: "UNIMPLEMENTED",
      message: "UNIMPLEMENTED",
    });
  });

  // The client puts the code's name in the place of a message that is not there.
  test("a name lookup says NOT_FOUND without a message, as the node does", async () => {
    await expect(client.nameService.lookupName({ name: "nobody.sui" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "NOT_FOUND",
    });
    await expect(client.nameService.reverseLookupName({ address: "nobody" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});

describe("VerifySignature", () => {
  const verify = async (value: Uint8Array, name: string | undefined, signature: string, address?: string) => {
    const { response } = await client.signatureVerificationService.verifySignature({
      message: { value, ...(name && { name }) },
      signature: { bcs: { value: Buffer.from(signature, "base64") }, signature: { oneofKind: undefined } },
      jwks: [],
      ...(address && { address }),
    });
    return response;
  };

  test("verifies transactions and personal messages of any scheme, and tells them apart", async () => {
    const bytes = await minting().build({ client });
    const message = new TextEncoder().encode("hello");
    const personal = bcs.byteVector().serialize(message).toBytes();
    for (const signer of [user, new Secp256k1Keypair(), fakePasskey()]) {
      const address = signer.toSuiAddress();
      const { signature: overTransaction } = await signer.signTransaction(bytes);
      const { signature: overMessage } = await signer.signPersonalMessage(message);
      const valid = { isValid: true };
      expect(await verify(bytes, "TransactionData", overTransaction, address)).toEqual(valid);
      expect(await verify(personal, "PersonalMessage", overMessage, address)).toEqual(valid);
      expect(await verify(bytes, undefined, overTransaction)).toEqual(valid);
      expect(await verify(personal, undefined, overMessage)).toEqual(valid);
      const invalid = { isValid: false, reason: expect.stringMatching(/^signature error: /) };
      expect(await verify(bytes, "TransactionData", overMessage, address)).toEqual(invalid);
      expect(await verify(personal, "PersonalMessage", overTransaction, address)).toEqual(invalid);
    }
  });

  test("says when the signature is another address's, and refuses what is no message or no signature", async () => {
    const bytes = await minting().build({ client });
    const { signature } = await user.signTransaction(bytes);
    expect(await verify(bytes, "TransactionData", signature, MISSING)).toEqual({
      isValid: false,
      reason: `provided address \`${MISSING}\` does not match derived address \`${owner}\``,
    });
    const refused = { code: "INVALID_ARGUMENT" };
    await expect(verify(new Uint8Array([9, 9]), "TransactionData", signature)).rejects.toMatchObject(refused);
    await expect(verify(new Uint8Array([9, 9]), "PersonalMessage", signature)).rejects.toMatchObject(refused);
    await expect(verify(bytes, "TransactionData", "CQ==")).rejects.toMatchObject(refused);
    await expect(verify(bytes, "TransactionData", signature, "nobody")).rejects.toMatchObject(refused);
  });
});
