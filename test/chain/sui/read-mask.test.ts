import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathsOf, suiExecuteGaslessV2 } from "../../../shared/api/sui-wallet-v2.ts";
import { masked, readMaskOf, shows } from "../../../shared/chain/sui/grpc/read-mask.ts";

const readMask = suiExecuteGaslessV2.params.shape.read_mask;

/** Reads a mask as a call sends it: by its contract, and then by the fields of the message. */
function read(sent: unknown) {
  const parsed = readMask.safeParse(sent);
  return parsed.success ? readMaskOf(pathsOf(parsed.data)) : { ok: false as const, error: "not of the contract" };
}

function maskOf(sent: unknown) {
  const mask = read(sent);
  if (!mask.ok) throw new Error(mask.error);
  return mask.value;
}

const message = {
  digest: "D",
  checkpoint: "7",
  effects: {
    status: { success: true },
    gasUsed: { storageCost: "1", computationCost: "2" },
    changedObjects: [{ objectId: "0x1", outputOwner: { kind: "ADDRESS", address: "0x2" } }, { objectId: "0x3" }],
  },
  events: { events: [{ module: "demo", json: { name: "Ada", effects: 1 } }] },
};

describe("a mask keeps the fields that it names", () => {
  test.each([
    [undefined, { effects: { status: message.effects.status }, checkpoint: "7" }],
    ["", { effects: { status: message.effects.status }, checkpoint: "7" }],
    [[], { effects: { status: message.effects.status }, checkpoint: "7" }],
    ["digest", { digest: "D" }],
    ["effects.gasUsed.storageCost", { effects: { gasUsed: { storageCost: "1" } } }],
    [["effects.gas_used.storage_cost", "digest"], { digest: "D", effects: { gasUsed: { storageCost: "1" } } }],
    [
      "effects.changedObjects.objectId,effects.changed_objects.output_owner.kind",
      {
        effects: { changedObjects: [{ objectId: "0x1", outputOwner: { kind: "ADDRESS" } }, { objectId: "0x3" }] },
      },
    ],
    ["events.events.json", { events: { events: [{ json: { name: "Ada", effects: 1 } }] } }],
    ["effects,effects.status", { effects: message.effects }],
    ["effects.status,effects", { effects: message.effects }],
    ["*", message],
  ])("%j", (sent, shown) => {
    expect(masked(message, maskOf(sent))).toEqual(shown);
  });
});

describe("a field that does not exist, or is not served, is refused by its name", () => {
  test.each([
    ["no_such_field", "invalid read_mask path: no_such_field"],
    ["effects.status.nothing", "invalid read_mask path: effects.status.nothing"],
    ["digest.length", "invalid read_mask path: digest.length"],
    ["events.events.json.struct_value", "invalid read_mask path: events.events.json.struct_value"],
    ["transaction.checkpoint", "invalid read_mask path: transaction.checkpoint"],
    ["digest,constructor", "invalid read_mask path: constructor"],
    ["__proto__", "not of the contract"],
    ["toString", "invalid read_mask path: toString"],
    ["effects.*", "not of the contract"],
    ["transaction.kind", "transaction.kind is not served: ask a node for it"],
    ["objects", "objects is not served: ask a node for it"],
    ["effects.unchangedConsensusObjects", "effects.unchangedConsensusObjects is not served: ask a node for it"],
  ])("%s", (sent, error) => {
    expect(read(sent)).toEqual({ ok: false, error: expect.stringContaining(error) });
  });
});

test("a mask has at most 64 paths of 2048 characters in all", () => {
  const paths = (count: number) => Array.from({ length: count }, () => "digest");
  expect(read(paths(64)).ok && read(paths(64).join(",")).ok).toBe(true);
  expect(read(paths(65)).ok || read(paths(65).join(",")).ok).toBe(false);
  const long = `a${"b".repeat(2_047)}`;
  expect(read(long)).toMatchObject({ error: expect.stringContaining("invalid read_mask path") });
  for (const sent of [`${long}b`, [`${long}b`]])
    expect(read(sent)).toEqual({ ok: false, error: "not of the contract" });
});

test("no input makes the reader throw, and what it refuses is never shown", () => {
  const segment = fc.constantFrom("effects", "status", "error", "digest", "json", "*", "", "__proto__", "constructor");
  const path = fc.array(segment, { maxLength: 6 }).map((segments) => segments.join("."));
  const list = fc.array(fc.oneof(path, fc.string()), { maxLength: 70 });
  const sent = fc.oneof(
    list,
    list.map((paths) => paths.join(",")),
    fc.string({ unit: "binary", maxLength: 3_000 }),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(sent, (given) => {
      const mask = read(given);
      const shown = mask.ok ? masked(message, mask.value) : {};
      const again = mask.ok ? masked(shown, mask.value) : {};
      expect(again).toEqual(shown);
    }),
    { numRuns: 1_000 },
  );
});

test("a mask says whether any part of a field is shown", () => {
  const mask = maskOf("effects.bcs.value,signatures");
  expect(["effects.bcs", "effects", "signatures", "signatures.bcs"].map((path) => shows(mask, path))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(shows(maskOf(undefined), "effects.bcs") || shows(maskOf("digest"), "signatures")).toBe(false);
  expect(shows(maskOf("*"), "effects.bcs")).toBe(true);
});
