import { AccountAddress, Deserializer, Ed25519Account, Ed25519PrivateKey, RawTransaction } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import * as z from "zod";
import { apiContracts } from "../../shared/api/apis.ts";
import { aptosEncodeAndSponsor } from "../../shared/api/aptos-gas.ts";
import { createKey, createProject } from "../../shared/cli/client/admin.ts";
import { createAptosFund } from "../../shared/cli/client/funds.ts";
import {
  APTOS_GAS_PATH,
  APTOS_KEY_PATH,
  APTOS_WALLET_PATH,
  rpcResult,
  SUI_GAS_PATH,
} from "../../shared/cli/client/rpc.ts";
import { admin, harness, newFund, newKey, serviceUrl, uniqueName } from "../harness/harness.ts";
import {
  authenticatorOf,
  giveApt,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
  rawTransaction,
} from "../support/aptos.ts";

/**
 * Every example of every document is called as it is printed, but for what no document can know: session tokens, which
 * end after ten minutes, and what a fund's own coins decide. The wallet of the story is imported from the example of an
 * import, so that it has the key that signed the others: what does not depend on the chain comes out to the letter.
 */
const documentSchema = z.object({
  methods: z.array(
    z.object({
      name: z.string(),
      params: z.array(z.object({ name: z.string() })),
      result: z.object({ schema: z.record(z.string(), z.unknown()) }),
      examples: z.tuple([
        z.object({
          params: z.array(z.object({ name: z.string(), value: z.unknown() })),
          result: z.object({ value: z.unknown() }),
        }),
      ]),
    }),
  ),
});

const [WALLET, KEY, CLIENT_KEY, CLIENT_WALLET] = ["/wallet/v1", "/key/v1", "/sui/key/v1", "/sui/wallet/v1"] as const;
const WALLET_V2 = "/sui/wallet/v2";
/** The sender of the gas station's examples. */
const sender = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(1));

const executed = new Set<string>();

async function documentOf(path: string, key: string): Promise<z.output<typeof documentSchema>> {
  return rpcResult(`${serviceUrl}${path}`, key, "rpc.discover", [], documentSchema);
}

/** Calls one as printed but for these params. The result has the shape that the document promises. */
async function run(path: string, key: string, name: string, changes: Readonly<Record<string, unknown>> = {}) {
  const method = (await documentOf(path, key)).methods.find((one) => one.name === name);
  if (method === undefined) throw new Error(`${path} has no ${name}`);
  const [{ params, result: printed }] = method.examples;
  const names = params.map((param) => param.name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(changes)));
  const sent = params.map(({ name, value }) => changes[name] ?? value);
  const result = await rpcResult(`${serviceUrl}${path}`, key, name, sent, z.fromJSONSchema(method.result.schema));
  executed.add(`${path} ${name}`);
  return { result, printed: printed.value, params: new Map(params.map((param) => [param.name, param.value])) };
}

/** The example comes out to the letter. */
async function same(...call: Parameters<typeof run>): Promise<void> {
  const { result, printed } = await run(...call);
  expect([call[0], call[2], result]).toEqual([call[0], call[2], printed]);
}

async function text(...call: Parameters<typeof run>): Promise<string> {
  return z.string().parse((await run(...call)).result);
}

/** A project that takes any secret, and a key in it. */
async function walletProject(network: string): Promise<string> {
  const projectId = await createProject(harness, uniqueName("examples"));
  return (await createKey(harness, projectId, { name: "examples", network, rights: ["wallet"] })).key;
}

test("the examples of the Sui gas station", async () => {
  const { key } = await newKey(await newFund());
  const wrapped = z.object({ txBytes: z.string(), txDigest: z.string() });
  const sponsored = wrapped.parse((await run(SUI_GAS_PATH, key, "gas_sponsorTransactionBlock")).result);
  const status = { transactionDigest: sponsored.txDigest };
  await same(SUI_GAS_PATH, key, "gas_getSponsoredTransactionBlockStatus", status);
  await run(SUI_GAS_PATH, key, "gas_getFund");
  const prepared = wrapped.parse((await run(SUI_GAS_PATH, key, "gas_prepareTransactionBlock")).result);
  const { signature } = await sender.signTransaction(fromBase64(prepared.txBytes));
  const changes = { txDigest: prepared.txDigest, senderSignature: signature };
  const { result } = await run(SUI_GAS_PATH, key, "gas_executeTransactionBlock", changes);
  expect(result).toMatchObject({ digest: prepared.txDigest, effects: { status: { status: "success" } } });
});

test("the examples of Sui wallets, on every path", async () => {
  const fund = await newFund();
  const { key } = await newKey(fund, { rights: ["wallet", "gas"] });
  await same(WALLET, key, "svc_wal_importWallet");
  const session_token = await text(WALLET, key, "svc_key_createSession");
  await text(KEY, key, "svc_key_createSession");
  await text(CLIENT_KEY, key, "svc_key_createSession");
  const inSession = { session_token };
  for (const path of [WALLET, CLIENT_WALLET, WALLET_V2]) {
    await same(path, key, "svc_wal_getWallet");
    await same(path, key, "svc_wal_signTransactionBlock", inSession);
    if (path !== WALLET_V2) {
      const { result } = await run(path, key, "svc_wal_executeGaslessTransactionBlock", inSession);
      expect(result).toMatchObject({ effects: { status: { status: "success" } } });
    }
    const fresh = await walletProject("SUI_LOCALNET");
    await run(path, fresh, "svc_wal_createWallet", {
      session_token: await text(WALLET, fresh, "svc_key_createSession"),
    });
  }
  for (const path of [WALLET, WALLET_V2]) await same(path, key, "svc_wal_signTransaction", inSession);
  for (const path of [WALLET, CLIENT_WALLET, WALLET_V2])
    await same(path, key, "svc_wal_signPersonalMessage", inSession);
  const { result } = await run(WALLET, key, "svc_wal_executeGaslessTransaction", inSession);
  expect(result).toMatchObject({ effects: { status: { status: "success" } } });
  const second = await run(WALLET_V2, key, "svc_wal_executeGaslessTransaction", inSession);
  expect(second.result).toMatchObject({ transaction: { effects: { status: { success: true } } } });
  await admin("PATCH", `/projects/${fund.projectId}`, { exportEnabled: true });
  await run(WALLET, key, "svc_wal_exportWallet", inSession);
});

/** The example's transaction, for this chain and this moment. */
async function forNow(example: unknown, from: string, sequenceNumber = 0n): Promise<RawTransaction> {
  const { payload } = RawTransaction.deserialize(Deserializer.fromHex(z.string().parse(example)));
  return rawTransaction(from, payload, { sequenceNumber });
}

test("the examples of Aptos wallets and of the Aptos gas station", async () => {
  const projectId = await createProject(harness, uniqueName("examples"));
  const fund = await createAptosFund(harness, projectId, uniqueName("examples"), 10n * OCTAS_PER_APT);
  const { key } = await newAptosKey(fund);
  await same(APTOS_WALLET_PATH, key, "wal_importWallet");
  const sessionToken = await text(APTOS_KEY_PATH, key, "key_createSession");
  const inSession = { sessionToken };
  await same(APTOS_WALLET_PATH, key, "wal_getWallet");
  await same(APTOS_WALLET_PATH, key, "wal_initializeWalletOnChain", inSession);
  await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
  await run(APTOS_WALLET_PATH, key, "wal_exportWallet", inSession);

  // The example is for another network than this chain's, and signing asks no node.
  const elsewhere = { name: "examples", network: "APTOS_TESTNET", rights: ["wallet"] };
  const { key: testnetKey } = await createKey(harness, projectId, elsewhere);
  await same(APTOS_WALLET_PATH, testnetKey, "wal_signTransaction", inSession);

  const documents = await documentOf(APTOS_WALLET_PATH, key);
  const example = documents.methods.find(({ name }) => name === "wal_executeGaslessTransaction")?.examples[0].params[2];
  const signer = new Ed25519Account({ privateKey: new Ed25519PrivateKey(new Uint8Array(32).fill(1)) });
  const address = signer.accountAddress.toString();
  await giveApt(address, OCTAS_PER_APT);
  const gasless = await forNow(example?.value, address, 1n);
  const changes = { ...inSession, rawTransaction: gasless.bcsToHex().toString() };
  await run(APTOS_WALLET_PATH, key, "wal_executeGaslessTransaction", changes);

  const fresh = (await newAptosKey(await newAptosFund())).key;
  const freshToken = await text(APTOS_KEY_PATH, fresh, "key_createSession");
  await run(APTOS_WALLET_PATH, fresh, "wal_createWalletOnChain", { sessionToken: freshToken });
  const bare = await walletProject("APTOS_LOCALNET");
  const bareToken = await text(APTOS_KEY_PATH, bare, "key_createSession");
  await run(APTOS_WALLET_PATH, bare, "wal_createWallet", { sessionToken: bareToken });

  await run(APTOS_GAS_PATH, key, "gas_getFund");
  const user = newAccount();
  await giveApt(user.accountAddress.toString(), OCTAS_PER_APT);
  const sponsored = await forNow(example?.value, user.accountAddress.toString());
  const rawHex = { rawTransaction: sponsored.bcsToHex().toString() };
  await run(APTOS_GAS_PATH, key, "gas_sponsorTransaction", rawHex);
  const encoder = newAccount().accountAddress.toString();
  await giveApt(encoder, OCTAS_PER_APT);
  const now = await forNow(example?.value, encoder);
  await run(APTOS_GAS_PATH, key, "gas_encodeAndSponsorTransaction", {
    transaction: {
      ...z.looseObject({}).parse(aptosEncodeAndSponsor.example.params[0]),
      sender: encoder,
      gas_unit_price: now.gas_unit_price.toString(),
      max_gas_amount: now.max_gas_amount.toString(),
      expiration_timestamp_secs: now.expiration_timestamp_secs.toString(),
    },
  });
  const other = newAccount();
  await giveApt(other.accountAddress.toString(), OCTAS_PER_APT);
  const signed = await forNow(example?.value, AccountAddress.from(other.accountAddress).toString());
  await run(APTOS_GAS_PATH, key, "gas_sponsorAndSubmitSignedTransaction", {
    rawTransaction: signed.bcsToHex().toString(),
    senderAuthenticator: authenticatorOf(other, signed),
  });
});

test("no example of any document was left out", () => {
  const all = apiContracts.flatMap(({ path, methods }) => methods.map(({ name }) => `${path} ${name}`));
  expect([...executed].toSorted()).toEqual(all.toSorted());
});
