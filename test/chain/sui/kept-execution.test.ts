import { expect, test } from "vitest";
import type { SuiExecution, SuiOwner } from "../../../shared/chain/sui/execution.ts";
import { decodeExecution, encodeExecution, KEPT_FORMAT } from "../../../shared/chain/sui/kept-execution.ts";
import { execution, objectId } from "../../fund/simulation/rows.ts";
import { encodedBySdk } from "./kept-execution-by-sdk.ts";

const digest = "D8qixP5YcNzCuLMYJkigup65M6RMNiXy6nrz7T677eVC";
const MAX_U64 = 2n ** 64n - 1n;
const owners: readonly (SuiOwner | null)[] = [
  { kind: "address", address: objectId(1) },
  { kind: "object", objectId: objectId(2) },
  { kind: "shared", initialSharedVersion: 3n },
  { kind: "consensus", address: objectId(4), startVersion: MAX_U64 },
  { kind: "immutable" },
  null,
];

const abort = { package: objectId(2), module: "balance", function: "split", abortCode: MAX_U64, command: 258 };
const whole: SuiExecution = execution(digest, {
  success: false,
  error: "an abort",
  abort,
  epoch: MAX_U64,
  gasObjectId: objectId(9),
  dependencies: [digest, digest],
  eventsDigest: digest,
  changedObjects: owners.map((owner, index) => ({
    objectId: objectId(index),
    objectType: index === 0 ? null : "0x2::coin::Coin<0x2::sui::SUI>",
    operation: (["none", "created", "deleted"] as const)[index % 3] ?? "none",
    input: index === 1 ? null : { version: 7n, digest, owner },
    output: index === 2 ? null : { version: 9n, digest, owner },
  })),
  events: [
    {
      packageId: "0x2",
      module: "demo",
      sender: "0x5",
      eventType: "0x2::demo::Minted",
      contents: Uint8Array.of(1, 2, 255),
      json: { n: "1", list: [true, null, 0.5], ß: {} },
    },
  ],
  balanceChanges: [{ address: objectId(3), coinType: "0x2::sui::SUI", amount: -(2n ** 127n) }],
  checkpoint: MAX_U64,
  timestampMs: 1_700_000_000_000,
});

const large = execution(digest, {
  changedObjects: Array.from({ length: 40 }, (_, index) => ({
    objectId: objectId(index),
    objectType: "ß".repeat(index),
    operation: "none",
    input: null,
    output: { version: BigInt(index), digest, owner: null },
  })),
});

test.each([
  ["with everything that it can have", whole],
  ["with nothing that it need not have", execution(digest, { gasObjectId: null, checkpoint: null, timestampMs: null })],
  ["of many objects", large],
])("an execution %s is kept to the letter, in the bytes of the SDK's codec", (_, kept) => {
  const encoded = encodeExecution(kept) ?? new Uint8Array();
  expect(decodeExecution(encoded)).toEqual(kept);
  expect(encoded).toEqual(Uint8Array.of(KEPT_FORMAT, ...encodedBySdk(kept)));
});

test("each part may be the one for which the buffer grows", () => {
  for (let length = 0; length < 1_100; length += 1) {
    const kept = { ...whole, error: "e".repeat(length) };
    expect(decodeExecution(encodeExecution(kept) ?? new Uint8Array())).toEqual(kept);
  }
});

test("an address that a node writes short or in capitals is kept in the chain's form", () => {
  const encoded = encodeExecution({ ...whole, gasObjectId: "0xAB" }) ?? new Uint8Array();
  expect(decodeExecution(encoded)?.gasObjectId).toBe(objectId(0xab));
});

test("what a node says outside of the format is not kept", () => {
  expect(encodeExecution({ ...whole, lamportVersion: MAX_U64 + 1n })).toBeNull();
  expect(encodeExecution({ ...whole, digest: "no digest" })).toBeNull();
  expect(encodeExecution({ ...whole, gasObjectId: "0xg" })).toBeNull();
  expect(encodeExecution({ ...whole, abort: { ...abort, command: 65_536 } })).toBeNull();
});

test("another format than today's is not read", () => {
  const encoded = encodeExecution(whole) ?? new Uint8Array();
  expect(decodeExecution(Uint8Array.of(1, ...encoded.slice(1)))).toBeNull();
});
