import { bcs } from "@mysten/sui/bcs";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { taggedDigest } from "./sui/hash.ts";
import { type ChainObject, coinContents, objectBcs, SUI_COIN_TYPE, withDigest } from "./sui/objects.ts";
import { verifySignatures } from "./sui/signatures.ts";
import { decodeTransaction, transactionDigest } from "./sui/transaction.ts";
import { ed25519Address } from "./sui/user-signature.ts";
import { startRecordedChain } from "./testing.ts";

/**
 * Three transactions that were broadcast on Sui mainnet, with their signatures.
 * Source: trustwallet/wallet-core, rust/tw_any_coin/tests/chains/sui/sui_sign.rs (Apache-2.0).
 */
const MAINNET_TRANSACTIONS = [
  {
    name: "a transfer",
    digest: "D4Ay9TdBJjXkGmrZSstZakpEWskEQHaWURP6xWPRXbAm",
    transaction:
      "AAAEAAjoAwAAAAAAAAAIUMMAAAAAAAAAIKcXWr3V7ZLr4605DbNmxqcGR4zfUXzebPmGMAZc2jd6ACBU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsgMCAAIBAAABAQABAQMAAAAAAQIAAQEDAAABAAEDAFToDXbXkMJ39aRPPOkvU9JvWJSJK/OV3uY3WYiHa+ayAWNgILOn3HsRw6pvQZsX+KnBLn95ox0b3S3mcLTt1jAFeHEaBQAAAAAgGGuNnxrqusosgjP3gQ3jBjnhapGNBlcU0yTaupXpa0BU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsu4CAAAAAAAAwMYtAAAAAAAA",
    signature:
      "AEh44B7iGArEHF1wOLAQJMLNgGnaIwn3gKPC92vtDJqITDETAM5z9plaxio1xomt6/cZReQ5FZaQsMC6l7E0BwmF69FEH+T5VPvl3GB3vwCOEZpeJpKXxvcIPQAdKsh2/g==",
  },
  {
    name: "a split",
    digest: "GNoQj54Ra8qGbzbvD25KXEYTsRDKTH5SSjLtHftGNwBM",
    transaction:
      "AAAEAAjwSQIAAAAAAAAIQA0DAAAAAAAACKCGAQAAAAAAACBU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsgICAAMBAAABAQABAgABAwMAAAAAAwAAAQADAAACAAEDAFToDXbXkMJ39aRPPOkvU9JvWJSJK/OV3uY3WYiHa+ayAWNgILOn3HsRw6pvQZsX+KnBLn95ox0b3S3mcLTt1jAFxYoeBQAAAAAg6qe+uHxDnn7q4cupb3Z1reQK3m4sh6efYtcz8fWA6C9U6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsu4CAAAAAAAAwM9qAAAAAAAA",
    signature:
      "AAN/lP/bRRsgdDS/QCSl45D5gHdKv4Aow0Hmkcot6w+84vd2X+nvOgxyYo2BMInBIbsCqlOtnn8t9zo2+dNSegGF69FEH+T5VPvl3GB3vwCOEZpeJpKXxvcIPQAdKsh2/g==",
  },
  {
    name: "an object transfer",
    digest: "DYRXibkwsy84d9qdKktePE3gj9zN4yFpVx2ehv1uYMCo",
    transaction:
      "AAADAQBp4AfkDUtkUow9nlGePR8+XJyWKHB0gXH3uUwWjIaBYXdxGgUAAAAAIPukOuVHEHFrj96jMXgsE8RmAU/Es2ejPAhD41bNXslEAAh44AEAAAAAAAAgpxdavdXtkuvjrTkNs2bGpwZHjN9RfN5s+YYwBlzaN3oCAgEAAAEBAQABAQMAAAAAAQIAVOgNdteQwnf1pE886S9T0m9YlIkr85Xe5jdZiIdr5rIBY2Ags6fcexHDqm9Bmxf4qcEuf3mjHRvdLeZwtO3WMAV5cRoFAAAAACCFgwpF3YPy9Px5R/K+WLDjMSiO7AsEa/4cNWn5P/nkIVToDXbXkMJ39aRPPOkvU9JvWJSJK/OV3uY3WYiHa+ay7gIAAAAAAAAACT0AAAAAAAA=",
    signature:
      "AAXK0so7TwO285ZhWKKRYs2MyFumsFSlOe4boampQKmrqhIZKhNnJKCTFEkarJTq5lIIvyTtgIu5S93gOsxN4guF69FEH+T5VPvl3GB3vwCOEZpeJpKXxvcIPQAdKsh2/g==",
  },
];

/**
 * A split and a transfer, with the effects of the real executor.
 * Source: MystenLabs/sui, crates/sui-indexer-alt-e2e-tests/tests/graphql/transactions/bcs.snap (Apache-2.0).
 */
const SIMULACRUM = {
  digest: "FBSbxbZwRnfKQhMgXdzrnVMEM8jAJxo9vJL7b7o4BzfH",
  gasCoin: {
    id: "0x2834d85dbfefdcd66f04811231ba818893793e83a895d53402fd99e132e36562",
    version: 3n,
    digest: "3RLxy5F1gFrZk3ShLnGRYcDc36fAWgzq88pTFMr54VFE",
    owner: "0xfccc9a421bbb13c1a66a1aa98f0ad75029ede94857779c6915b44f94068b921e",
    balanceMist: 299_999_996_668_396n,
    previousTransaction: "AcXJx5Y6QK7q1ZVmrSyHE9c4gW5JXXcTZDoumoDBG8j9",
    storageRebate: 988_000n,
  },
  transaction:
    "AAACAAgqAAAAAAAAAAAgp7AycDh4qnTDEmk1eJ/R1NfhEdWRGwkkfWljBhwxK1oCAgABAQAAAQECAAABAQD8zJpCG7sTwaZqGqmPCtdQKe3pSFd3nGkVtE+UBouSHgEoNNhdv+/c1m8EgRIxuoGIk3k+g6iV1TQC/ZnhMuNlYgMAAAAAAAAAICPz40ClSGr6BPjWaxWfe1uIAkjuLRwvDBgpkYfNed2B/MyaQhu7E8GmahqpjwrXUCnt6UhXd5xpFbRPlAaLkh7oAwAAAAAAAADyBSoBAAAAAA==",
  effects:
    "AQAAAAAAAAAAAEBCDwAAAAAAwCYeAAAAAADI7A4AAAAAAJgmAAAAAAAAINKwX8kkAj233VxV7+J36lIBJ3FzQkMIAGFxeukNKm+wAQAAAAAAASCO0sgcw0pNehHETeLTGMOGYVnaLOHelQ6sjKI9auXRgAQAAAAAAAAAAig02F2/79zWbwSBEjG6gYiTeT6DqJXVNAL9meEy42ViAQMAAAAAAAAAICPz40ClSGr6BPjWaxWfe1uIAkjuLRwvDBgpkYfNed2BAPzMmkIbuxPBpmoaqY8K11Ap7elIV3ecaRW0T5QGi5IeASCap60ft7FsjKGvs7a3cOz+9y3o2V8xwnUJFG9IeFy4wwD8zJpCG7sTwaZqGqmPCtdQKe3pSFd3nGkVtE+UBouSHgDGXtGGfYz8nQLFzuG22lV0mmpIJp8jLuEC4E2P62MvAQABIDHvZtB435m6M8M7Uq0JpOjOS00C33EPuYOX4/HXDmFoAKewMnA4eKp0wxJpNXif0dTX4RHVkRsJJH1pYwYcMStaAQAA",
};

/**
 * `0x2::pay::divide_and_keep<SUI>(GasCoin, 19)`, signed and executed on a bring-up network: 19 changed objects.
 * Source: MystenLabs/sui-rust-sdk, crates/sui-sdk-types/tests/fixtures/ocs/1137.chk (Apache-2.0).
 */
const DIVIDE_AND_KEEP = {
  digest: "BStPrRk8YLpMSicob3Ly77EpGsxJWh57PcB8ASRso1MH",
  effectsDigest: "3J6zfdAtzJbLznzWgrGEWGx1UeWPbs9AEGt4UZPxK688",
  gasCoin:
    "AAEBAQAAAAAAAAAokgK48mXfJuvaFyJkLH3OUIuPTZ5XWcFVEJzrGYNIS9UAAILf5A1HAAB9INzbK8pPUI6pYTmUaD60526cTtNxFpZ3wb4CqvC1jiDTJ1FkgCNU6OWD0S0X91V1yHwuKt8RUVK82zcyuHJwWgAAAAAAAAAA",
  transaction:
    "AAABAAgTAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIDcGF5D2RpdmlkZV9hbmRfa2VlcAEHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIDc3VpA1NVSQACAAEAAH0g3Nsryk9QjqlhOZRoPrTnbpxO03EWlnfBvgKq8LWOAZICuPJl3ybr2hciZCx9zlCLj02eV1nBVRCc6xmDSEvVAQAAAAAAAAAg0zd8PLYIf0PR1U7ecPtOeZvMLdABs4oODqZwHDaqVwp9INzbK8pPUI6pYTmUaD60526cTtNxFpZ3wb4CqvC1jugDAAAAAAAAUFdAAgAAAAAA",
  signature:
    "AABNMgLdXvKP6W4aFy34C19gAg3NPg8a1uZnMWs7hh8OCJOitt/gzCmkZuMzVYyUrqM4wIu2JotjxKPn/RIRXAUSBz31NeFTlDTV+RW4oXQeICAR/h+E3u6xe3MRyQsRGw==",
};

/** A transaction of testnet epoch 775, as signed (BCS `SenderSignedData`). Source: as above. */
const TESTNET_SIGNED = {
  digest: "C6XnvcwaELAVq9Bqk85GyTSrk4ko7tvhiqnRfmrKNN5g",
  bytes:
    "AQAAAAAABQEBpa3n39008mUrCxuY9ii3bpMB3m9pA4zIUoPXLwrcz4m/vtkAAAAAAAABAQVu6G0Jv3aBaDlOdrITfPVnyZ6+Q7tYINgXzCE7n6DN+OcaAQAAAAABAQDsBqnr6GYoEnGh2d0FR8q5/hYPAsWZ406LM/kCkBfjmZBBIAEAAAAAIAr7R8pdoM+gl/BA7H38ga8il8/patcfTYsIpLfJGjjeAQFg2K21bKeC+SAjCdBNvBveKJ8PCNTTr0CwdTNZvVkDsr++2QAAAAAAAQEBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAYBAAAAAAAAAAABAGQdq+5cla0hbOVMcoLhpO82JC2BxmQxVm+O/GvcL+2iC3Bvb2xfc2NyaXB0DmNvbGxlY3RfcmV3YXJkAwdNiSzszRSXub53AeCdUcWAvIPyLJyXBQghs3OnfQ2angR1c2R0BFVTRFQAB02JLOzNFJe5vncB4J1RxYC8g/IsnJcFCCGzc6d9DZqeBHVzZGMEVVNEQwAHFzAqV3qZAg+TMC0saUnlsHgZmt7ht9pWXseeXUVS3H0FY2V0dXMFQ0VUVVMABQEAAAEBAAECAAEDAAEEAGYOprwQ8tbC1AuCmFCrdGpq2TwmdFN8ceIYCbBIYlTGAT/vz1Ewx/Q4E5G99G7YkP+oK+ZkxuBVlRMVwYh+tp8akEEgAQAAAAAgsTJXnLnaoNG0dzz7VXyX4ia8Ak7BkMoDz3QLTQI7pFBmDqa8EPLWwtQLgphQq3Rqatk8JnRTfHHiGAmwSGJUxugDAAAAAAAAAMqaOwAAAAAAAWEA5MnJiW3VSPI4uWDBYWhsw2UzXo6x2QU1vXlozqnn5FFwAtwISbTvojoJEf6XKXkAYAX4eEJSzutNZs3TYtSECxToqZsFYkKmyuZiwXy7hEzuNF/xp5LrEoeLeDRWdmM1",
};

/** A DeepBook `cancel_order` of mainnet. Source: MystenLabs/sui-rust-sdk, a fixture (Apache-2.0). */
const DEEPBOOK = {
  digest: "8wiqfhqpNBAe5CSDVrEjBw2E2anN3xe3WTjQsscEAHJL",
  transaction:
    "AAADAQFEBbUNeR/TNGdU6Bcaqra8LtJsLEbv3QM8FLMK5QesMyx96QEAAAAAAQAIVsakAAAAAAABALyyokbZ/8ynfWQer6UyP1DpeCnPU1NC7AyFNJSaTztnQF40BQAAAAAgffPXh5XuG6TWjHk6qC5w9k2a+41oTWfm0sC1FOYRqsEBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAN7pB2Nsb2JfdjIMY2FuY2VsX29yZGVyAgcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgNzdWkDU1VJAAddSzAlBmRcN/8TO5jEtQpa4UhBZZc41tcz1Z0NIXqTvwRjb2luBENPSU4AAwEAAAEBAAECAPgh00g/x3Jeuvqlo9Ejc9SZAb384UhPIZ2qcGajDfd9ASXQjpFOD6mfycbzwD1wc+IOkCXQ8rHQo/Vi5SDOGMR/Jl40BQAAAAAgV7P1E0IMKon5uI82R/0arWLt+dc1ng/4VwKDqpTCxHT4IdNIP8dyXrr6paPRI3PUmQG9/OFITyGdqnBmow33fe4CAAAAAAAAAMqaOwAAAAAA",
};

/**
 * The signatures of a sponsored transaction whose bytes are not published; they name who signed.
 * Source: MystenLabs/sui, crates/sui-indexer-alt-e2e-tests/tests/graphql/transactions/signatures.snap (Apache-2.0).
 */
const SPONSORED_SIGNERS = [
  {
    signature:
      "AFaCs7C+NGa4/ieCbnDUYKNlvGx1WfyPsMdoeDRXQfX81iXMUxcKXdCifgK9ZndAf4t6D6w36RB/gDxgZCRM9QdjShJ/h11TzB1kNRDs/tZZYOUuR7hLdy4MWvdZMWHaqw==",
    address: "0xa7b032703878aa74c3126935789fd1d4d7e111d5911b09247d6963061c312b5a",
  },
  {
    signature:
      "AD7MRN+IXFfkpXv9Vcibi+zHy2hIW/P1bFXhQFsD3CHE9vTpcfm9H4nw6L1GOak/JSIvhgXJB9MGkrSWIVMwnQCea9+AYO7cFrl2UiI8mqgOfdypWEBHOeWh8bAaRfXLzA==",
    address: "0xda83166d01afd7ddcf8af5f844f45aaa53f48548e5117c23f5a2978cfd422244",
  },
];

test.each(MAINNET_TRANSACTIONS)(
  "$name on mainnet has the digest and the signature that mainnet accepted",
  async (vector) => {
    const bytes = fromBase64(vector.transaction);
    const signature = fromBase64(vector.signature);
    const { sender, gasOwner } = decodeTransaction(bytes);
    expect(transactionDigest(bytes)).toBe(vector.digest);
    await expect(verifySignatures(bytes, [signature], new Set([sender, gasOwner]))).resolves.toBeUndefined();
  },
);

test("a transaction of testnet has its digest and the signature that was accepted", async () => {
  const [signed] = bcs.SenderSignedData.parse(fromBase64(TESTNET_SIGNED.bytes));
  const [signature] = signed?.txSignatures ?? [];
  if (signed === undefined || signature === undefined) throw new Error("not signed");
  const bytes = bcs.TransactionData.serialize(signed.intentMessage.value).toBytes();
  const { sender } = decodeTransaction(bytes);
  expect(transactionDigest(bytes)).toBe(TESTNET_SIGNED.digest);
  await expect(verifySignatures(bytes, [fromBase64(signature)], new Set([sender]))).resolves.toBeUndefined();
});

test("a transaction with a shared object and type arguments has its mainnet digest", () => {
  const { digest, bytes } = decodeTransaction(fromBase64(DEEPBOOK.transaction));
  expect(digest).toBe(DEEPBOOK.digest);
  expect(toBase64(bytes)).toBe(DEEPBOOK.transaction);
});

test.each(SPONSORED_SIGNERS)("a signature of a sponsored transaction names $address", ({ signature, address }) => {
  expect(ed25519Address(fromBase64(signature).subarray(65))).toBe(address);
});

test("a mainnet signature does not verify over other bytes", async () => {
  const [vector] = MAINNET_TRANSACTIONS;
  if (vector === undefined) throw new Error("no vector");
  const bytes = fromBase64(vector.transaction);
  const signature = fromBase64(vector.signature);
  const changed = Uint8Array.from(bytes);
  changed[7] = (changed[7] ?? 0) ^ 1;
  const signer = new Set([ed25519Address(signature.subarray(65))]);
  await expect(verifySignatures(changed, [signature], signer)).rejects.toThrow(
    "Invalid user signature: Signature is not valid",
  );
});

test("a split and a transfer have the very effects, byte for byte, of the real executor", async () => {
  const { chain, client } = await startRecordedChain();
  const { balanceMist, owner, digest, ...rest } = SIMULACRUM.gasCoin;
  const gasCoin = withDigest({
    ...rest,
    owner: { kind: "address", address: owner },
    type: SUI_COIN_TYPE,
    hasPublicTransfer: true,
    contents: coinContents(rest.id, balanceMist),
  });
  expect(gasCoin.digest).toBe(digest);
  chain.sui.store.putObject(gasCoin);

  const result = await client.simulateTransaction({
    transaction: fromBase64(SIMULACRUM.transaction),
    include: { effects: true },
  });
  expect(result.Transaction?.digest).toBe(SIMULACRUM.digest);
  expect(toBase64(result.Transaction?.effects.bcs ?? new Uint8Array())).toBe(SIMULACRUM.effects);
});

test("a Move call that makes 18 coins has the effects digest of the real executor", async () => {
  const { chain, client } = await startRecordedChain();
  // The packages of that executor are from genesis.
  chain.sui.ledger.packages.publishedBy = null;
  const gasCoin = coinFromBcs(fromBase64(DIVIDE_AND_KEEP.gasCoin));
  expect(toBase64(objectBcs(gasCoin))).toBe(DIVIDE_AND_KEEP.gasCoin);
  chain.sui.store.putObject(gasCoin);

  const bytes = fromBase64(DIVIDE_AND_KEEP.transaction);
  const result = await client.executeTransaction({
    transaction: bytes,
    signatures: [DIVIDE_AND_KEEP.signature],
    include: { effects: true },
  });
  expect(result.Transaction?.digest).toBe(DIVIDE_AND_KEEP.digest);
  expect(result.Transaction?.effects.changedObjects).toHaveLength(19);
  const { response } = await client.ledgerService.getTransaction({
    digest: DIVIDE_AND_KEEP.digest,
    readMask: { paths: ["effects.digest"] },
  });
  expect(response.transaction?.effects?.digest).toBe(DIVIDE_AND_KEEP.effectsDigest);

  const changed = result.Transaction?.effects.changedObjects ?? [];
  const { objects } = await client.getObjects({
    objectIds: changed.map(({ objectId }) => objectId),
    include: { objectBcs: true, previousTransaction: true },
  });
  for (const [index, object] of objects.entries()) {
    if (object instanceof Error) throw object;
    expect(object).toMatchObject({
      objectId: changed[index]?.objectId,
      version: "2",
      digest: changed[index]?.outputDigest,
      previousTransaction: DIVIDE_AND_KEEP.digest,
    });
    expect(taggedDigest("Object", object.objectBcs ?? new Uint8Array())).toBe(object.digest);
  }
});

function coinFromBcs(bytes: Uint8Array): ChainObject {
  const { data, owner, previousTransaction, storageRebate } = bcs.Object.parse(bytes);
  if (!data.Move || !owner.AddressOwner) throw new Error("not an owned Move object");
  const contents = Uint8Array.from(data.Move.contents);
  return withDigest({
    id: bcs.Address.parse(contents.subarray(0, 32)),
    version: BigInt(data.Move.version),
    owner: { kind: "address", address: owner.AddressOwner },
    type: SUI_COIN_TYPE,
    hasPublicTransfer: data.Move.hasPublicTransfer,
    contents,
    previousTransaction,
    storageRebate: BigInt(storageRebate),
  });
}
