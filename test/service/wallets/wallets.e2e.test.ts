import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  ChainId,
  Deserializer,
  EntryFunction,
  generateSigningMessageForTransaction,
  MultiAgentTransaction,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { bcs } from "@mysten/sui/bcs";
import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { verifyPersonalMessageSignature, verifyTransactionSignature } from "@mysten/sui/verify";
import { expect, test } from "vitest";
import * as z from "zod";
import { createKey } from "../../../shared/cli/client/admin.ts";
import { rpcCall, rpcResult } from "../../../shared/cli/client/rpc.ts";
import { giveSui, harness, keepSecret, newProject, serviceUrl, sui, uniqueName } from "../../harness/harness.ts";

const SECRET = keepSecret("correct horse battery staple");
const FEE_PAYER = AccountAddress.from(`0x${"b0".repeat(32)}`);
const SECOND = AccountAddress.from(`0x${"c1".repeat(32)}`);
const TEN = AccountAddress.from("0xa");
/** Without its leading zeros, as some wallets print addresses. */
const SHORT = `0x${"d2".repeat(31)}`;
const FULL = AccountAddress.from(`0x00${"d2".repeat(31)}`);
const wallet = z.object({ accountAddress: z.string() });

async function walletKey(network: string): Promise<string> {
  const fields = { name: uniqueName("key"), network, rights: ["wallet"] };
  return (await createKey(harness, await newProject(), fields)).key;
}

test("a Sui wallet signs what the chain's SDK verifies", async () => {
  const key = await walletKey("SUI_LOCALNET");
  const url = `${serviceUrl}/wallet/v1`;
  const token = await rpcResult(url, key, "svc_key_createSession", [SECRET], z.string());
  const address = await rpcResult(url, key, "svc_wal_createWallet", ["user-1", token], z.string());
  expect(await rpcResult(url, key, "svc_wal_getWallet", ["user-1"], z.string())).toBe(address);
  const bytes = new Uint8Array(300).fill(5);
  const params = ["user-1", token, toBase64(bytes)];
  const signature = await rpcResult(url, key, "svc_wal_signTransaction", params, z.string());
  await verifyTransactionSignature(bytes, signature, { address });
});

test("what a Sui wallet signs, a node executes", async () => {
  const key = await walletKey("SUI_LOCALNET");
  const url = `${serviceUrl}/wallet/v1`;
  const token = await rpcResult(url, key, "svc_key_createSession", [SECRET], z.string());
  const address = await rpcResult(url, key, "svc_wal_createWallet", ["user-1", token], z.string());
  await giveSui(address, 1_000_000_000n);
  const tx = new Transaction();
  tx.transferObjects([tx.splitCoins(tx.gas, [1_000])], SECOND.toString());
  tx.setSender(address);
  const transaction = await tx.build({ client: sui });
  const params = ["user-1", token, toBase64(transaction)];
  const signature = await rpcResult(url, key, "svc_wal_signTransaction", params, z.string());
  const executed = await sui.executeTransaction({ transaction, signatures: [signature] });
  expect(executed).toMatchObject({ Transaction: { status: { success: true } } });
});

/** Of a transaction that the SDK builds and knows the digest of. */
async function builtTransaction(sender: string) {
  const tx = new Transaction();
  tx.moveCall({ target: "0x2::clock::timestamp_ms", arguments: [tx.object.clock()] });
  tx.setSender(sender);
  tx.setGasPrice(1_000);
  tx.setGasBudget(5_000_000);
  tx.setGasPayment([{ objectId: `0x${"c0".repeat(32)}`, version: 1, digest: "11111111111111111111111111111112" }]);
  const bytes = await tx.build();
  return { bytes, digest: await Transaction.from(bytes).getDigest() };
}

test("deployed clients find the same Sui wallets on their own paths, by their own methods and shapes", async () => {
  const key = await walletKey("SUI_LOCALNET");
  const [keyUrl, url] = [`${serviceUrl}/sui/key/v1`, `${serviceUrl}/sui/wallet/v1`];
  const token = await rpcResult(keyUrl, key, "acme_key_createSession", [SECRET], z.string());
  const address = await rpcResult(url, key, "acme_wal_createWallet", ["user-1", token], z.string());
  expect(await rpcResult(url, key, "acme_wal_getWallet", ["user-1"], z.string())).toBe(address);
  expect(await rpcResult(`${serviceUrl}/wallet/v1`, key, "svc_wal_getWallet", ["user-1"], z.string())).toBe(address);

  const { bytes, digest } = await builtTransaction(address);
  const block = z.strictObject({ signature: z.string(), txDigest: z.string() });
  const signed = await rpcResult(url, key, "acme_wal_signTransactionBlock", ["user-1", token, toBase64(bytes)], block);
  await verifyTransactionSignature(bytes, signed.signature, { address });
  expect(signed.txDigest).toBe(digest);

  const message = new TextEncoder().encode("ключ 🔑".repeat(40));
  const wrapped = bcs.byteVector().serialize(message).toBytes();
  for (const [sent, ...wrapBcs] of [[message], [message, null], [message, true], [wrapped, false]] as const) {
    const params = ["user-1", token, toBase64(sent), ...wrapBcs];
    const signature = await rpcResult(url, key, "acme_wal_signPersonalMessage", params, z.string());
    await verifyPersonalMessageSignature(message, signature, { address });
  }
  // Clients up to 0.9.0 sign messages there.
  const early = await rpcResult(
    `${serviceUrl}/wallet/v1`,
    key,
    "acme_wal_signPersonalMessage",
    ["user-1", token, toBase64(message)],
    z.string(),
  );
  await verifyPersonalMessageSignature(message, early, { address });
  const asTransaction = await rpcResult(
    url,
    key,
    "acme_wal_signPersonalMessage",
    ["user-1", token, toBase64(bytes)],
    z.string(),
  );
  await expect(verifyTransactionSignature(bytes, asTransaction, { address })).rejects.toThrow();
});

test("an Aptos wallet signs each form of transaction so that the chain's SDK verifies it", async () => {
  const key = await walletKey("APTOS_LOCALNET");
  const url = `${serviceUrl}/aptos/wallet/v1`;
  const token = await rpcResult(`${serviceUrl}/aptos/key/v1`, key, "key_createSession", [SECRET], z.string());
  const { accountAddress } = await rpcResult(url, key, "wal_createWallet", ["user-1", token], wallet);
  expect(await rpcResult(url, key, "wal_getWallet", ["user-1"], wallet)).toEqual({ accountAddress });

  const payload = new TransactionPayloadEntryFunction(EntryFunction.build("0x1::demo", "run", [], []));
  const from = (sender: AccountAddress) =>
    new RawTransaction(sender, 0n, payload, 2_000n, 100n, 4_000_000_000n, new ChainId(4));
  const raw = from(AccountAddress.from(accountAddress));
  const bytes = raw.bcsToBytes();
  const forms = [
    [[Array.from(bytes)], new SimpleTransaction(raw)],
    [[raw.bcsToHex().toString(), []], new SimpleTransaction(raw)],
    [[Array.from(bytes), [SECOND.toString()]], new MultiAgentTransaction(raw, [SECOND])],
    [[Array.from(bytes), null, FEE_PAYER.toString()], new SimpleTransaction(raw, FEE_PAYER)],
    [[Array.from(bytes), [], "0x0"], new SimpleTransaction(raw, AccountAddress.ZERO)],
    [[Array.from(bytes), [SECOND.toString()], "0x0"], new MultiAgentTransaction(raw, [SECOND], AccountAddress.ZERO)],
    [[raw.bcsToHex().toStringWithoutPrefix()], new SimpleTransaction(raw)],
    [[Array.from(bytes), null, null], new SimpleTransaction(raw)],
    [[Array.from(bytes), ["0x1", "0xA"]], new MultiAgentTransaction(raw, [AccountAddress.ONE, TEN])],
    [
      [Array.from(bytes), [SECOND.toString(), SHORT], "0x1"],
      new MultiAgentTransaction(raw, [SECOND, FULL], AccountAddress.ONE),
    ],
  ] as const;
  const answer = z.object({ signature: z.array(z.number()) });
  for (const [params, transaction] of forms) {
    const signed = await rpcResult(url, key, "wal_signTransaction", ["user-1", token, ...params], answer);
    const [variant, ...rest] = signed.signature;
    expect(variant).toBe(0);
    const { public_key, signature } = AccountAuthenticatorEd25519.load(new Deserializer(Uint8Array.from(rest)));
    const message = generateSigningMessageForTransaction(transaction);
    expect(public_key.verifySignature({ message, signature })).toBe(true);
    expect(public_key.authKey().derivedAddress().toString()).toBe(accountAddress);
  }

  const foreign = ["user-1", token, Array.from(from(SECOND).bcsToBytes())];
  expect((await rpcCall(url, key, "wal_signTransaction", foreign)).body).toMatchObject({
    error: { code: -32602, data: { reason: "wrong_sender" } },
  });
});
