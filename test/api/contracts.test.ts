import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  Deserializer,
  Ed25519Signature,
  generateSigningMessageForTransaction,
  generateUserTransactionHash,
  RawTransaction,
  SimpleTransaction,
} from "@aptos-labs/ts-sdk";
import { bcs } from "@mysten/sui/bcs";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { verifyPersonalMessageSignature, verifyTransactionSignature } from "@mysten/sui/verify";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { aptosGasApi } from "../../functions/service/aptos-gas/index.ts";
import { aptosKeyApi } from "../../functions/service/aptos-key/index.ts";
import { aptosWalletApi } from "../../functions/service/aptos-wallet/index.ts";
import { suiGasApi } from "../../functions/service/sui-gas/index.ts";
import { suiWalletApis } from "../../functions/service/sui-wallet/index.ts";
import { apiContracts, restContracts } from "../../shared/api/apis.ts";
import {
  aptosEncodeAndSponsor,
  aptosGetFund,
  aptosSponsorAndSubmit,
  aptosSponsorTransaction,
} from "../../shared/api/aptos-gas.ts";
import {
  aptosCreateWallet,
  aptosExecuteGaslessTransaction,
  aptosGetWallet,
  aptosSignTransaction,
} from "../../shared/api/aptos-wallet.ts";
import { commonReasons } from "../../shared/api/contract.ts";
import { suiExecuteTransactionBlock, suiSponsorTransactionBlock } from "../../shared/api/sui-gas.ts";
import {
  suiCreateWallet,
  suiGetWallet,
  suiSignPersonalMessage,
  suiSignTransaction,
  suiSignTransactionBlock,
} from "../../shared/api/sui-wallet.ts";
import { transactionDigest } from "../../shared/chain/sui/transaction.ts";
import { rpcErrorOf } from "../../shared/errors.ts";
import { stringifyJson } from "../../shared/rpc/json.ts";
import { discoverHandler, openRpcDocument } from "../../shared/rpc/openrpc.ts";
import { decodeParams } from "../../shared/rpc/params.ts";
import { endpoint, exchange, INTERFACE_URL, letEverybodyIn, post } from "../support/rpc.ts";

const contracts = [
  ...apiContracts.flatMap((service) => service.methods),
  ...restContracts.flatMap(({ operations }) => operations.map(({ contract }) => contract)),
];

describe.each(contracts.map((contract) => [contract.name, contract] as const))("%s", (_name, contract) => {
  test("its example is accepted by its own schemas", () => {
    expect(decodeParams(contract, contract.example.params)).toMatchObject({ ok: true });
    const result = contract.result.parse(contract.example.result);
    expect(JSON.parse(stringifyJson(z.encode(contract.result, result)))).toEqual(contract.example.result);
  });

  test("its params take every position and every name, and null for each optional one", () => {
    const names = Object.keys(contract.params.shape);
    const named = Object.fromEntries(contract.example.params.map((value, index) => [names[index], value]));
    expect(decodeParams(contract, named)).toEqual(decodeParams(contract, contract.example.params));
    const padded = [...contract.example.params, ...Array(names.length - contract.example.params.length).fill(null)];
    expect(decodeParams(contract, padded)).toEqual(decodeParams(contract, contract.example.params));
  });

  test("it lists no reason twice", () => {
    const reasons = [...commonReasons, ...contract.errors];
    expect(new Set(reasons).size).toBe(reasons.length);
  });
});

test("every contract of every interface has its handler, and no handler is without contract", () => {
  const served = [suiGasApi, ...suiWalletApis, aptosKeyApi, aptosWalletApi, aptosGasApi];
  for (const { contract, handlers } of served)
    expect(new Set(handlers.map((handler) => handler.contract))).toEqual(new Set(contract.methods));
  expect(served.map(({ contract }) => contract)).toEqual(apiContracts);
});

test("the examples tell one story that the chain's SDK confirms", async () => {
  const sponsored = suiSponsorTransactionBlock.result.parse(suiSponsorTransactionBlock.example.result);
  const asked = decodeParams(suiSponsorTransactionBlock, suiSponsorTransactionBlock.example.params);
  const executed = decodeParams(suiExecuteTransactionBlock, suiExecuteTransactionBlock.example.params);
  if (!asked.ok || !executed.ok) throw new Error("an example does not decode");

  const { V1 } = bcs.TransactionData.parse(sponsored.txBytes);
  if (!V1) throw new Error("not V1");
  expect(toBase64(bcs.TransactionKind.serialize(V1.kind).toBytes())).toBe(toBase64(asked.value.transactionBytes));
  expect(V1.sender).toBe(asked.value.sender);
  expect(BigInt(V1.gasData.budget)).toBe(asked.value.gasBudget);
  expect(transactionDigest(sponsored.txBytes)).toBe(sponsored.txDigest);
  expect(executed.value.txDigest).toBe(sponsored.txDigest);

  const signers = await Promise.all(
    [sponsored.signature, executed.value.senderSignature].map((signature) =>
      verifyTransactionSignature(sponsored.txBytes, signature),
    ),
  );
  expect(signers.map((key) => key.toSuiAddress())).toEqual([V1.gasData.owner, V1.sender]);
});

test("the wallet examples go on with it, on both chains", async () => {
  const [, , txBytes] = suiSignTransaction.example.params;
  const signer = await verifyTransactionSignature(
    fromBase64(String(txBytes)),
    suiSignTransaction.result.parse(suiSignTransaction.example.result),
  );
  expect(signer.toSuiAddress()).toBe(suiCreateWallet.example.result);
  expect(suiGetWallet.example.result).toBe(suiCreateWallet.example.result);
  expect(suiSignTransactionBlock.example.result).toEqual({
    signature: suiSignTransaction.example.result,
    txDigest: transactionDigest(fromBase64(String(txBytes))),
  });
  const [, , personal] = suiSignPersonalMessage.example.params;
  await verifyPersonalMessageSignature(
    fromBase64(String(personal)),
    suiSignPersonalMessage.result.parse(suiSignPersonalMessage.example.result),
    { address: signer.toSuiAddress() },
  );

  const asked = decodeParams(aptosSignTransaction, aptosSignTransaction.example.params);
  if (!asked.ok) throw new Error("an example does not decode");
  const transaction = RawTransaction.deserialize(new Deserializer(asked.value.rawTransaction));
  const { accountAddress } = aptosCreateWallet.result.parse(aptosCreateWallet.example.result);
  expect(transaction.sender.toString()).toBe(accountAddress);
  const bytes = aptosSignTransaction.result.parse(aptosSignTransaction.example.result).signature;
  const { public_key, signature } = AccountAuthenticatorEd25519.load(new Deserializer(bytes.slice(1)));
  const message = generateSigningMessageForTransaction(new SimpleTransaction(transaction));
  expect(public_key.verifySignature({ message, signature })).toBe(true);
  expect(public_key.authKey().derivedAddress().toString()).toBe(accountAddress);
  expect(aptosGetWallet.example.result).toEqual({ accountAddress });
});

/** What a decoded example's hex says to the chain's SDK. */
function authenticatorOf(bytes: Uint8Array): AccountAuthenticatorEd25519 {
  return AccountAuthenticatorEd25519.load(new Deserializer(bytes.slice(1)));
}

test("the Aptos gas examples are one transaction that the wallet of the story sends and the fund pays for", () => {
  const asked = decodeParams(aptosSponsorAndSubmit, aptosSponsorAndSubmit.example.params);
  const gasless = decodeParams(aptosExecuteGaslessTransaction, aptosExecuteGaslessTransaction.example.params);
  if (!asked.ok || !gasless.ok) throw new Error("an example does not decode");
  const { feePayer } = aptosSponsorTransaction.result.parse(aptosSponsorTransaction.example.result);
  const { pendingTransaction: handedIn } = aptosSponsorAndSubmit.result.parse(aptosSponsorAndSubmit.example.result);
  const { pendingTransaction: gaslessOne } = aptosExecuteGaslessTransaction.result.parse(
    aptosExecuteGaslessTransaction.example.result,
  );
  expect(gasless.value.rawTransaction).toEqual(asked.value.rawTransaction);
  expect(aptosGetFund.result.parse(aptosGetFund.example.result).depositAddress).toBe(feePayer.address);

  const raw = RawTransaction.deserialize(new Deserializer(asked.value.rawTransaction));
  const payer = AccountAddress.from(feePayer.address);
  const paid = new SimpleTransaction(raw, payer);
  const over = (feePayerAddress: AccountAddress) =>
    generateSigningMessageForTransaction(new SimpleTransaction(raw, feePayerAddress));
  const fund = authenticatorOf(feePayer.signature);
  expect(fund.public_key.verifySignature({ message: over(payer), signature: fund.signature })).toBe(true);
  expect(fund.public_key.authKey().derivedAddress().toString()).toBe(feePayer.address);

  const { accountAddress } = aptosCreateWallet.result.parse(aptosCreateWallet.example.result);
  expect(raw.sender.toString()).toBe(accountAddress);
  const { transactionSigningMessage, feePayerAddress, feePayerSignature } = aptosEncodeAndSponsor.result.parse(
    aptosEncodeAndSponsor.example.result,
  );
  expect([transactionSigningMessage, feePayerAddress]).toEqual([over(payer), feePayer.address]);
  expect([feePayerSignature.public_key, feePayerSignature.signature]).toEqual([
    fund.public_key.toString(),
    fund.signature.toString(),
  ]);
  const sender = authenticatorOf(asked.value.senderAuthenticator);
  for (const [pending, signedOver] of [
    [handedIn, AccountAddress.ZERO],
    [gaslessOne, payer],
  ] as const) {
    if (pending.signature.type !== "fee_payer_signature") throw new Error("the example has another form of signature");
    const sent = pending.signature.sender;
    if (!("public_key" in sent) || sent.type !== "ed25519_signature") throw new Error("the example has another key");
    const signature = new Ed25519Signature(sent.signature);
    expect(sender.public_key.toString()).toBe(sent.public_key);
    expect(sender.public_key.verifySignature({ message: over(signedOver), signature })).toBe(true);
    const senderAuthenticator = new AccountAuthenticatorEd25519(sender.public_key, signature);
    expect(pending.hash).toBe(
      generateUserTransactionHash({ transaction: paid, senderAuthenticator, feePayerAuthenticator: fund }),
    );
    expect(pending).toMatchObject({ sender: accountAddress, sequence_number: raw.sequence_number.toString() });
  }
});

/** The parts of the OpenRPC 1.2.6 schema that a generated document can get wrong; unknown fields are refused. */
const jsonSchema = z.record(z.string(), z.unknown());
const jsonSchemas = z.record(z.string(), jsonSchema);
const descriptor = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1).optional(),
  required: z.boolean().optional(),
  schema: jsonSchema,
});
const example = z.strictObject({ name: z.string().min(1), value: z.unknown() });
const openRpc = z.strictObject({
  openrpc: z.literal("1.2.6"),
  info: z.strictObject({ title: z.string().min(1), version: z.string().min(1) }),
  servers: z.array(z.strictObject({ name: z.string(), url: z.url() })),
  methods: z.array(
    z.strictObject({
      name: z.string(),
      summary: z.string().min(1),
      description: z.string().min(1),
      paramStructure: z.enum(["by-name", "by-position", "either"]),
      params: z.array(descriptor),
      result: descriptor,
      errors: z.array(z.strictObject({ code: z.int(), message: z.string().min(1), data: z.unknown() })),
      examples: z.array(z.strictObject({ name: z.string(), params: z.array(example), result: example })).min(1),
    }),
  ),
});

describe.each(apiContracts.map((service) => [service.name, service] as const))(
  "the document of %s",
  (_name, service) => {
    // Through JSON, as a caller gets it.
    const document = openRpc.parse(JSON.parse(JSON.stringify(openRpcDocument(service, INTERFACE_URL))));

    test("has every method with its params in order, required ones first", () => {
      expect(document.methods.map(({ name }) => name)).toEqual(service.methods.map(({ name }) => name));
      for (const [index, method] of document.methods.entries()) {
        expect(method.params.map(({ name }) => name)).toEqual(Object.keys(service.methods[index]?.params.shape ?? {}));
        const required = method.params.map((param) => param.required);
        expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
      }
    });

    test("says of each method that honours Idempotency-Key that it does, and of no other", () => {
      for (const [index, { description }] of document.methods.entries())
        expect(description.includes("`Idempotency-Key`")).toBe(service.methods[index]?.idempotent);
    });

    test("gives each code once, with every reason that the method can answer", () => {
      for (const [index, { errors }] of document.methods.entries()) {
        expect(new Set(errors.map(({ code }) => code)).size).toBe(errors.length);
        const reasons = z
          .array(z.object({ code: z.int(), data: z.object({ reason: z.array(z.string()) }) }))
          .parse(errors);
        for (const reason of [...commonReasons, ...(service.methods[index]?.errors ?? [])])
          expect(reasons).toContainEqual({
            code: rpcErrorOf({ reason, details: "" }).code,
            data: { reason: expect.arrayContaining([reason]) },
          });
      }
    });

    test("describes the wire, not the code behind it: its examples fit its schemas", () => {
      for (const method of document.methods)
        for (const { params, result } of method.examples) {
          for (const { name, value } of params) {
            const schema = method.params.find((param) => param.name === name)?.schema;
            expect(z.fromJSONSchema(schema ?? false).safeParse(value)).toMatchObject({ success: true });
          }
          expect(z.fromJSONSchema(method.result.schema).safeParse(result.value)).toMatchObject({ success: true });
        }
    });

    test("says of every value what it is", () => {
      const saysWhat = ["type", "anyOf", "oneOf", "enum", "const"];
      const vague = (schema: Readonly<Record<string, unknown>>, path: string): readonly string[] => [
        ...(saysWhat.some((keyword) => keyword in schema) ? [] : [path]),
        ...Object.entries(jsonSchemas.parse(schema.properties ?? {})).flatMap(([name, part]) => vague(part, name)),
        ...("items" in schema ? vague(jsonSchema.parse(schema.items), `${path}[]`) : []),
      ];
      // Move decides what an event holds.
      for (const { params, result } of document.methods)
        for (const { name, schema } of [...params, result])
          expect(vague(schema, name).filter((path) => path !== "parsedJson")).toEqual([]);
    });

    test("is what rpc.discover answers, to a key without rights", async () => {
      const asked: unknown[] = [];
      const at = endpoint([discoverHandler(service)], async (calls) => {
        asked.push(...calls);
        return letEverybodyIn(calls);
      });
      const { body } = await exchange(post('{"jsonrpc":"2.0","id":"0","method":"rpc.discover","params":[]}'), at);
      expect(body).toEqual({ jsonrpc: "2.0", result: document, id: "0" });
      expect(asked).toEqual([[]]);
    });
  },
);
