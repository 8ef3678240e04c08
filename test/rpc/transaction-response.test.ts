import type { SuiTransactionBlockResponse } from "@mysten/sui/jsonRpc";
import { describe, expect, test } from "vitest";
import type { ChangedObject, ObjectState, SuiExecution } from "../../shared/chain/sui/execution.ts";
import { suiTransactionResponse } from "../../shared/chain/sui/json-rpc/response-schema.ts";
import { transactionResponse } from "../../shared/chain/sui/json-rpc/transaction-response.ts";
import { fullAddress } from "../support/addresses.ts";

const address = (byte: string) => `0x${byte.repeat(32)}`;
const sender = address("5e");
const fund = address("fd");
const digest = "D8qixP5YcNzCuLMYJkigup65M6RMNiXy6nrz7T677eVC";

const before: ObjectState = { version: 7n, digest: "before", owner: { kind: "address", address: sender } };
const after: ObjectState = { version: 9n, digest: "after", owner: { kind: "address", address: sender } };
const objectType = `${address("ab")}::demo::Item<${fullAddress("2")}::sui::SUI,u64>`;

function object(id: string, change: Partial<ChangedObject>): ChangedObject {
  return { objectId: address(id), objectType, operation: "none", input: null, output: null, ...change };
}

const gasCoin = object("c0", {
  objectType: `${fullAddress("2")}::coin::Coin<${fullAddress("2")}::sui::SUI>`,
  input: { ...before, owner: { kind: "address", address: fund } },
  output: { ...after, owner: { kind: "address", address: fund } },
});

const execution: SuiExecution = {
  digest,
  success: true,
  error: null,
  abort: null,
  epoch: 100n,
  gasUsed: {
    computationCostMist: 2n ** 64n - 1n,
    storageCostMist: 3n,
    storageRebateMist: 2n,
    nonRefundableStorageFeeMist: 1n,
  },
  gasObjectId: gasCoin.objectId,
  lamportVersion: 9n,
  dependencies: ["one", "two"],
  eventsDigest: "events",
  changedObjects: [
    gasCoin,
    object("01", { operation: "created", output: after }),
    object("02", { output: after }),
    object("03", { operation: "deleted", input: before }),
    object("04", { input: before }),
    object("05", { operation: "deleted" }),
    object("06", { operation: "created" }),
  ],
  events: [
    {
      packageId: address("ab"),
      module: "demo",
      sender,
      eventType: `${address("ab")}::demo::Minted`,
      contents: Uint8Array.of(1, 2, 3),
      json: { n: "1" },
    },
  ],
  balanceChanges: [{ address: fund, coinType: `${fullAddress("2")}::sui::SUI`, amount: -1_009_880n }],
  checkpoint: null,
  timestampMs: 1_700_000_000_000,
};

const response = transactionResponse(execution, sender, true);
const ids = (refs: readonly ({ objectId: string } | { reference: { objectId: string } })[] | undefined) =>
  refs?.map((ref) => ("reference" in ref ? ref.reference.objectId : ref.objectId));

/** The SDK declares text for every version; a node gives numbers in references and owners. */
type WithText<T> = T extends number ? string : T extends object ? { [K in keyof T]: WithText<T[K]> } : T;

test("the response is the type that callers of Sui's JSON-RPC know", () => {
  const known: SuiTransactionBlockResponse = response as unknown as WithText<typeof response>;
  expect(suiTransactionResponse.parse(known)).toEqual(response);
});

describe("effects", () => {
  test("sort every changed object as the chain does", () => {
    const { effects } = response;
    expect(ids(effects.mutated)).toEqual([gasCoin.objectId]);
    expect(ids(effects.created)).toEqual([address("01")]);
    expect(ids(effects.unwrapped)).toEqual([address("02")]);
    expect(ids(effects.deleted)).toEqual([address("03")]);
    expect(ids(effects.wrapped)).toEqual([address("04")]);
    expect(ids(effects.unwrappedThenDeleted)).toEqual([address("05")]);
    expect(effects.modifiedAtVersions).toEqual(
      [gasCoin.objectId, address("03"), address("04")].map((objectId) => ({ objectId, sequenceNumber: "7" })),
    );
  });

  test("write amounts as exact decimal strings, and the versions of references as numbers", () => {
    expect(response.effects.gasUsed.computationCost).toBe("18446744073709551615");
    expect(response.effects.deleted?.[0]).toEqual({
      objectId: address("03"),
      version: 9,
      digest: "7gyGAp71YXQRoxmFBaHxofQXAipvgHyBKPyxmdSJxyvz",
    });
    expect(response.effects.gasObject).toEqual({
      owner: { AddressOwner: fund },
      reference: { objectId: gasCoin.objectId, version: 9, digest: "after" },
    });
  });

  test("leave out what is empty", () => {
    const nothing = { ...execution, changedObjects: [], dependencies: [], eventsDigest: null, gasObjectId: null };
    const { effects } = transactionResponse(nothing, sender, null);
    expect(Object.keys(effects).sort()).toEqual(
      ["messageVersion", "status", "executedEpoch", "gasUsed", "transactionDigest", "gasObject"].sort(),
    );
  });

  test("tell a failure with the chain's words", () => {
    const failed = transactionResponse({ ...execution, success: false, error: "MoveAbort(…)" }, sender, null);
    expect(failed.effects.status).toEqual({ status: "failure", error: "MoveAbort(…)" });
    expect(response.effects.status).toEqual({ status: "success" });
    expect(failed).not.toHaveProperty("confirmedLocalExecution");
  });

  test.each([
    [{ kind: "object", objectId: "0x7" }, { ObjectOwner: "0x7" }],
    [{ kind: "shared", initialSharedVersion: 3n }, { Shared: { initial_shared_version: 3 } }],
    [
      { kind: "consensus", address: "0x8", startVersion: 4n },
      { ConsensusAddressOwner: { owner: "0x8", start_version: 4 } },
    ],
    [{ kind: "immutable" }, "Immutable"],
  ] as const)("write the owner of kind $0.kind", (owner, written) => {
    const changedObjects = [object("01", { operation: "created", output: { ...after, owner } })];
    const { effects } = transactionResponse({ ...execution, changedObjects }, sender, null);
    expect(effects.created?.[0]?.owner).toEqual(written);
  });

  test("of a transaction without a gas coin name the zero object, as a full node does", () => {
    const { effects } = transactionResponse({ ...execution, gasObjectId: null }, sender, null);
    expect(effects.gasObject.reference).toEqual({
      objectId: fullAddress("0"),
      version: 0,
      digest: "11111111111111111111111111111111",
    });
  });
});

test("object changes name the sender, the type and both versions, and no unwrapped object or package", () => {
  const changedObjects = [...execution.changedObjects, object("07", { objectType: "package", output: after })];
  const { objectChanges } = transactionResponse({ ...execution, changedObjects }, sender, null);
  expect(objectChanges.map(({ type, objectId }) => [type, objectId])).toEqual([
    ["mutated", gasCoin.objectId],
    ["created", address("01")],
    ["deleted", address("03")],
    ["wrapped", address("04")],
  ]);
  expect(objectChanges[0]).toEqual({
    type: "mutated",
    sender,
    owner: { AddressOwner: fund },
    objectType: "0x2::coin::Coin<0x2::sui::SUI>",
    objectId: gasCoin.objectId,
    version: "9",
    previousVersion: "7",
    digest: "after",
  });
});

test("types are written as JSON-RPC does, the addresses of other packages in full", () => {
  expect(response.objectChanges[1]).toMatchObject({ objectType: `${address("ab")}::demo::Item<0x2::sui::SUI, u64>` });
});

test("events are numbered and carry their bytes", () => {
  expect(response.events).toEqual([
    {
      id: { txDigest: digest, eventSeq: "0" },
      packageId: address("ab"),
      transactionModule: "demo",
      sender,
      type: `${address("ab")}::demo::Minted`,
      parsedJson: { n: "1" },
      bcsEncoding: "base64",
      bcs: "AQID",
    },
  ]);
});

test("balance changes keep their sign", () => {
  expect(response.balanceChanges).toEqual([
    { owner: { AddressOwner: fund }, coinType: "0x2::sui::SUI", amount: "-1009880" },
  ]);
});
