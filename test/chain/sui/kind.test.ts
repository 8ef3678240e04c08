import { bcs } from "@mysten/sui/bcs";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64 } from "@mysten/sui/utils";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, equalBytes } from "../../../shared/bytes.ts";
import { inspectKind } from "../../../shared/chain/sui/kind.ts";
import { readTraits } from "../../../shared/chain/sui/transaction-traits.ts";
import { rounds } from "../../support/rounds.ts";

type Kind = Parameters<typeof bcs.TransactionKind.serialize>[0];
type Programmable = Extract<Kind, { ProgrammableTransaction: unknown }>["ProgrammableTransaction"];
type Command = Programmable["commands"] extends Iterable<infer One> ? One : never;
type Argument = Parameters<typeof bcs.Argument.serialize>[0];
type Input = Programmable["inputs"] extends Iterable<infer One> ? One : never;

const RUNS = rounds(2_000, 800);
const ADDRESS = `0x${"ab".repeat(32)}`;
const DIGEST = "D4Ay9TdBJjXkGmrZSstZakpEWskEQHaWURP6xWPRXbAm";
const REF = { objectId: ADDRESS, version: 7n, digest: DIGEST };
const GAS_COIN: Argument = { GasCoin: true };

function bytesOf(inputs: readonly Input[], commands: readonly Command[]): Uint8Array {
  return bcs.TransactionKind.serialize({ ProgrammableTransaction: { inputs, commands } }).toBytes();
}

function reasonOf(bytes: Uint8Array): string {
  const inspected = inspectKind(bytes);
  return inspected.ok ? "accepted" : inspected.error.reason;
}

const index = fc.integer({ min: 0, max: 65_535 });
const harmless: fc.Arbitrary<Argument> = fc.oneof(
  index.map((Input) => ({ Input })),
  index.map((Result) => ({ Result })),
  fc.tuple(index, index).map((NestedResult) => ({ NestedResult })),
);
const several = (argument: fc.Arbitrary<Argument>, minLength = 0) => fc.array(argument, { minLength, maxLength: 5 });
const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const id = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bcs.Address.parse(bytes));
const typeTag = fc.constantFrom("u64", "vector<u8>", "0x2::sui::SUI", "0x2::coin::Coin<0x2::sui::SUI>");

/** Each command of the chain, by how it is made from its arguments: `at` says which argument stands where. */
const commandFrom: Readonly<Record<string, (args: fc.Arbitrary<Argument>) => fc.Arbitrary<Command>>> = {
  MoveCall: (args) =>
    fc
      .record({
        package: id,
        module: name,
        function: name,
        typeArguments: fc.array(typeTag, { maxLength: 2 }),
        arguments: several(args),
      })
      .map((MoveCall) => ({ MoveCall })),
  TransferObjects: (args) =>
    fc.record({ objects: several(args), address: args }).map((TransferObjects) => ({ TransferObjects })),
  SplitCoins: (args) => fc.record({ coin: args, amounts: several(args) }).map((SplitCoins) => ({ SplitCoins })),
  MergeCoins: (args) => fc.record({ destination: args, sources: several(args) }).map((MergeCoins) => ({ MergeCoins })),
  MakeMoveVec: (args) =>
    fc.record({ type: fc.option(typeTag), elements: several(args) }).map((MakeMoveVec) => ({ MakeMoveVec })),
  Upgrade: (args) =>
    fc
      .record({
        modules: fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 2 }),
        dependencies: fc.array(id, { maxLength: 2 }),
        package: id,
        ticket: args,
      })
      .map((Upgrade) => ({ Upgrade })),
};
const publish: fc.Arbitrary<Command> = fc
  .record({
    modules: fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 2 }),
    dependencies: fc.array(id, { maxLength: 2 }),
  })
  .map((Publish) => ({ Publish }));
const anyCommand = (args: fc.Arbitrary<Argument>) =>
  fc.oneof(publish, ...Object.values(commandFrom).map((from) => from(args)));

const input: fc.Arbitrary<Input> = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ Pure: { bytes } })),
  fc.constant<Input>({ Object: { ImmOrOwnedObject: REF } }),
  fc.boolean().map((mutable) => ({
    Object: { SharedObject: { objectId: ADDRESS, initialSharedVersion: 1n, mutable } },
  })),
  fc.constant<Input>({ Object: { Receiving: REF } }),
);

function withdrawalFrom(withdrawFrom: Extract<Input, { FundsWithdrawal: unknown }>["FundsWithdrawal"]["withdrawFrom"]) {
  return {
    FundsWithdrawal: {
      reservation: { MaxAmountU64: 5n },
      typeArg: { Balance: "0x2::sui::SUI" },
      withdrawFrom,
    },
  } satisfies Input;
}

describe("the gas coin", () => {
  test("kinds without it are accepted, byte for byte as they came", () => {
    fc.assert(
      fc.property(
        fc.array(input, { maxLength: 4 }),
        fc.array(anyCommand(harmless), { maxLength: 6 }),
        (inputs, commands) => {
          const bytes = bytesOf(inputs, commands);
          const inspected = inspectKind(bytes);
          expect(inspected).toMatchObject({ ok: true });
          expect(inspected.ok && inspected.value.bytes).toEqual(bytes);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test.each(Object.entries(commandFrom))("in %s, at any position, is refused", (_, from) => {
    let refused = 0;
    const args = fc.oneof({ weight: 4, arbitrary: harmless }, { weight: 1, arbitrary: fc.constant(GAS_COIN) });
    fc.assert(
      fc.property(
        fc.array(anyCommand(harmless), { maxLength: 3 }),
        from(args),
        fc.array(anyCommand(harmless), { maxLength: 3 }),
        (before, command, after) => {
          const uses = JSON.stringify(command).includes('"GasCoin"');
          if (uses) refused += 1;
          expect(reasonOf(bytesOf([], [...before, command, ...after]))).toBe(uses ? "gas_coin_used" : "accepted");
        },
      ),
      { numRuns: RUNS / 4 },
    );
    expect(refused, "the property has met the gas coin").toBeGreaterThan(20);
  });

  test("as the SDK's tx.gas is refused too", async () => {
    const transaction = new Transaction();
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [1n])], ADDRESS);
    expect(reasonOf(await transaction.build({ onlyTransactionKind: true }))).toBe("gas_coin_used");
  });
});

describe("inputs", () => {
  test("a withdrawal is accepted from the sender's balance, and from that of somebody who allows it", () => {
    expect(reasonOf(bytesOf([withdrawalFrom({ Sender: true })], []))).toBe("accepted");
    expect(reasonOf(bytesOf([withdrawalFrom({ Sponsor: true })], []))).toBe("foreign_withdrawal");
    const allowance = withdrawalFrom({ SenderAllowance: { funder: ADDRESS, allowance: ADDRESS } });
    const allowed = inspectKind(bytesOf([withdrawalFrom({ Sender: true }), allowance, allowance], []));
    expect(allowed.ok && allowed.value.funders, "the caller compares them with its funds").toEqual([ADDRESS, ADDRESS]);
    expect(reasonOf(bytesOf([allowance, withdrawalFrom({ Sponsor: true })], []))).toBe("foreign_withdrawal");
    const second = [withdrawalFrom({ Sender: true }), withdrawalFrom({ Sponsor: true })];
    expect(reasonOf(bytesOf(second, []))).toBe("foreign_withdrawal");
  });

  test("shared objects are noticed, owned and received ones are not shared", () => {
    const usesShared = (one: Input) => {
      const inspected = inspectKind(bytesOf([one], []));
      return inspected.ok && inspected.value.usesSharedObjects;
    };
    for (const mutable of [true, false])
      expect(usesShared({ Object: { SharedObject: { objectId: ADDRESS, initialSharedVersion: 1n, mutable } } })).toBe(
        true,
      );
    expect(usesShared({ Object: { ImmOrOwnedObject: REF } })).toBe(false);
    expect(usesShared({ Object: { Receiving: REF } })).toBe(false);
    expect(usesShared(withdrawalFrom({ Sender: true }))).toBe(false);
  });
});

test("bytes that are no transaction name no Move call", () => {
  for (const bytes of [[], [0], [0, 0, 1], [1, 0, 0, 0], [0, 9]])
    expect(readTraits(Uint8Array.from(bytes))).toEqual({ targets: [], commands: [] });
});

test("Move calls are named in order, packages in full length", async () => {
  const transaction = new Transaction();
  transaction.moveCall({ target: "0x2::clock::timestamp_ms", arguments: [] });
  transaction.moveCall({ target: `${ADDRESS}::shop::buy` });
  const inspected = inspectKind(await transaction.build({ onlyTransactionKind: true }));
  expect(inspected.ok && inspected.value.moveTargets).toEqual([
    `0x${"2".padStart(64, "0")}::clock::timestamp_ms`,
    `${ADDRESS}::shop::buy`,
  ]);
});

test("code that is published or upgraded is noticed", () => {
  const publishesCode = (...commands: readonly Command[]) => {
    const inspected = inspectKind(bytesOf([], commands));
    return inspected.ok && inspected.value.publishesCode;
  };
  const plain: Command = { MakeMoveVec: { type: "u64", elements: [] } };
  expect(publishesCode(plain)).toBe(false);
  expect(publishesCode(plain, { Publish: { modules: [], dependencies: [] } })).toBe(true);
  const upgrade = { modules: [], dependencies: [], package: ADDRESS, ticket: { Input: 0 } };
  expect(publishesCode(plain, { Upgrade: upgrade })).toBe(true);
});

describe("bytes that are not one canonical programmable kind fail closed", () => {
  const plain = bytesOf(
    [{ Pure: { bytes: new Uint8Array(8) } }],
    [{ MakeMoveVec: { type: "u64", elements: [{ Input: 0 }] } }],
  );

  test("trailing bytes, which the SDK's parser accepts", () => {
    expect(bcs.TransactionKind.parse(concatBytes(plain, Uint8Array.of(0))).$kind).toBe("ProgrammableTransaction");
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (tail) => {
        expect(reasonOf(concatBytes(plain, tail))).toBe("non_canonical_bytes");
      }),
    );
  });

  test("a length that is not in its shortest form", () => {
    // ULEB128 of zero inputs and zero commands as `80 00` instead of `00`.
    expect(reasonOf(Uint8Array.of(0, 0, 0))).toBe("accepted");
    for (const long of [Uint8Array.of(0, 0x80, 0, 0), Uint8Array.of(0, 0, 0x80, 0)])
      expect(["non_canonical_bytes", "unsupported_transaction"]).toContain(reasonOf(long));
  });

  test("a flag that is neither 0 nor 1", () => {
    const shared = bytesOf(
      [{ Object: { SharedObject: { objectId: ADDRESS, initialSharedVersion: 1n, mutable: true } } }],
      [],
    );
    // The flag is the last byte of the input; an empty list of commands follows.
    shared[shared.length - 2] = 2;
    expect(reasonOf(shared)).toBe("unsupported_transaction");
    const vector = bytesOf([], [{ MakeMoveVec: { type: null, elements: [] } }]);
    vector[vector.length - 2] = 2;
    expect(reasonOf(vector)).toBe("unsupported_transaction");
  });

  test("no bytes, a kind cut short anywhere, and whole transaction data", () => {
    for (let length = 0; length < plain.length; length += 1)
      expect(reasonOf(plain.slice(0, length)), `${length} bytes`).not.toBe("accepted");
    // A transaction that was broadcast on mainnet. Source: trustwallet/wallet-core, sui_sign.rs (Apache-2.0).
    const data =
      "AAAEAAjoAwAAAAAAAAAIUMMAAAAAAAAAIKcXWr3V7ZLr4605DbNmxqcGR4zfUXzebPmGMAZc2jd6ACBU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsgMCAAIBAAABAQABAQMAAAAAAQIAAQEDAAABAAEDAFToDXbXkMJ39aRPPOkvU9JvWJSJK/OV3uY3WYiHa+ayAWNgILOn3HsRw6pvQZsX+KnBLn95ox0b3S3mcLTt1jAFeHEaBQAAAAAgGGuNnxrqusosgjP3gQ3jBjnhapGNBlcU0yTaupXpa0BU6A1215DCd/WkTzzpL1PSb1iUiSvzld7mN1mIh2vmsu4CAAAAAAAAwMYtAAAAAAAA";
    expect(reasonOf(fromBase64(data))).not.toBe("accepted");
  });

  test("every variant index that is not a programmable transaction", () => {
    for (let variant = 1; variant < 128; variant += 1)
      expect(reasonOf(concatBytes(Uint8Array.of(variant), plain.slice(1))), `kind ${variant}`).toBe(
        "unsupported_transaction",
      );
  });

  test("commands, arguments, inputs and withdrawals of variants that are not known", () => {
    const inputs = 2;
    const oneCommand = bytesOf([], [{ TransferObjects: { objects: [], address: { Input: 0 } } }]);
    const commandAt = inputs + 1;
    for (let variant = 7; variant < 128; variant += 1) {
      const bytes = Uint8Array.from(oneCommand);
      bytes[commandAt] = variant;
      expect(reasonOf(bytes), `command ${variant}`).not.toBe("accepted");
    }
    const argumentAt = commandAt + 2;
    for (let variant = 4; variant < 128; variant += 1) {
      const bytes = Uint8Array.from(oneCommand);
      bytes[argumentAt] = variant;
      expect(reasonOf(bytes), `argument ${variant}`).not.toBe("accepted");
    }
    const oneInput = bytesOf([{ Object: { ImmOrOwnedObject: REF } }], []);
    for (let variant = 3; variant < 128; variant += 1) {
      const bytes = Uint8Array.from(oneInput);
      bytes[inputs] = variant;
      expect(reasonOf(bytes), `input ${variant}`).not.toBe("accepted");
      bytes.set([1, variant], inputs);
      expect(reasonOf(bytes), `object ${variant}`).not.toBe("accepted");
    }
    const withdrawal = bytesOf([withdrawalFrom({ Sender: true })], []);
    // The source of the withdrawal is its last byte; an empty list of commands follows.
    for (let variant = 1; variant < 128; variant += 1) {
      const bytes = Uint8Array.from(withdrawal);
      bytes[bytes.length - 2] = variant;
      expect(reasonOf(bytes), `withdrawal ${variant}`).not.toBe("accepted");
    }
  });

  test("a type whose parts are not identifiers is refused, not a fault", () => {
    const withType = bytesOf([], [{ MakeMoveVec: { type: "0x2::sui::SUI", elements: [] } }]);
    const at = withType.findIndex((byte, index) => byte === 0x73 && withType[index + 1] === 0x75);
    const bytes = Uint8Array.from(withType);
    bytes[at] = 0x3a;
    expect(reasonOf(bytes)).not.toBe("accepted");
  });

  test("random bytes: never a throw, and what is accepted re-encodes to itself", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const inspected = inspectKind(bytes);
        if (!inspected.ok) return;
        expect(bcs.TransactionKind.serialize(bcs.TransactionKind.parse(bytes)).toBytes()).toEqual(bytes);
      }),
      { numRuns: RUNS },
    );
  });

  test("one flipped byte of a real kind never smuggles the gas coin or a foreign withdrawal in", () => {
    const honest = bytesOf(
      [withdrawalFrom({ Sender: true }), { Pure: { bytes: new Uint8Array(32) } }],
      [
        { SplitCoins: { coin: { Input: 0 }, amounts: [{ Input: 1 }] } },
        { TransferObjects: { objects: [{ NestedResult: [0, 0] }], address: { Input: 1 } } },
      ],
    );
    fc.assert(
      fc.property(fc.nat(honest.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const bytes = Uint8Array.from(honest);
        bytes[at] = byte;
        if (reasonOf(bytes) !== "accepted") return;
        const text = JSON.stringify(bcs.TransactionKind.parse(bytes));
        expect(text).not.toContain("GasCoin");
        expect(text).not.toMatch(/"Sponsor"/);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the reader says what the SDK's codec says", () => {
  /** By the SDK: what it decodes, if that encodes to the same bytes again. */
  function bySdk(bytes: Uint8Array) {
    try {
      const { ProgrammableTransaction: read } = bcs.TransactionKind.parse(bytes);
      if (read === undefined) return null;
      const again = bcs.TransactionKind.serialize({ ProgrammableTransaction: read }).toBytes();
      return equalBytes(again, bytes) ? read : null;
    } catch {
      return null;
    }
  }
  type Read = NonNullable<ReturnType<typeof bySdk>>;

  function argumentsOf(command: Read["commands"][number]) {
    const { MoveCall, TransferObjects, SplitCoins, MergeCoins, MakeMoveVec, Upgrade } = command;
    if (MoveCall) return MoveCall.arguments;
    if (TransferObjects) return [...TransferObjects.objects, TransferObjects.address];
    if (SplitCoins) return [SplitCoins.coin, ...SplitCoins.amounts];
    if (MergeCoins) return [MergeCoins.destination, ...MergeCoins.sources];
    return MakeMoveVec?.elements ?? (Upgrade ? [Upgrade.ticket] : []);
  }

  /** The codec takes any text for a name; the chain takes identifiers only. */
  const IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,127}";
  const WHOLE_NAME = new RegExp(`^${IDENTIFIER}$`);
  // A type with nothing but `#` where its parameters stood. A name that looks like parameters does not encode to the
  // bytes that it was read from.
  const ONE_TYPE = new RegExp(
    `(?<![\\w:])(?:bool|u8|u16|u32|u64|u128|u256|address|signer|vector<#>|0x[0-9a-f]{64}::${IDENTIFIER}::${IDENTIFIER}(?:<#(?:, #)*>)?)(?![\\w:<])`,
    "g",
  );

  function isType(text: string): boolean {
    if (text.includes("#")) return false;
    for (let left = text; ; ) {
      const shorter = left.replace(ONE_TYPE, "#");
      if (shorter === left) return left === "#";
      left = shorter;
    }
  }

  function hasOnlyIdentifiers({ inputs, commands }: Read): boolean {
    const calls = commands.flatMap(({ MoveCall }) => MoveCall ?? []);
    const types = [
      ...inputs.flatMap(({ FundsWithdrawal }) => FundsWithdrawal?.typeArg.Balance ?? []),
      ...commands.flatMap(({ MakeMoveVec }) => MakeMoveVec?.type ?? []),
      ...calls.flatMap(({ typeArguments }) => typeArguments),
    ];
    const names = calls.flatMap((call) => [call.module, call.function]);
    return types.every(isType) && names.every((name) => WHOLE_NAME.test(name));
  }

  function expectSame(bytes: Uint8Array): void {
    const read = bySdk(bytes);
    const inspected = inspectKind(bytes);
    if (read === null || !hasOnlyIdentifiers(read)) {
      expect(["unsupported_transaction", "non_canonical_bytes"]).toContain(reasonOf(bytes));
      return;
    }
    const { inputs, commands } = read;
    const gasCoin = commands.some((command) => argumentsOf(command).some(({ $kind }) => $kind === "GasCoin"));
    const foreign = inputs.some(({ FundsWithdrawal: draw }) => draw?.withdrawFrom.$kind === "Sponsor");
    if (gasCoin || foreign) {
      expect(reasonOf(bytes)).toBe(gasCoin ? "gas_coin_used" : "foreign_withdrawal");
      return;
    }
    const calls = commands.flatMap(({ MoveCall }) => MoveCall ?? []);
    const moveTargets = calls.map((call) => `${call.package}::${call.module}::${call.function}`);
    expect(readTraits(concatBytes(Uint8Array.of(0), bytes, new Uint8Array(99))), "within a transaction").toEqual({
      targets: moveTargets,
      commands: [...new Set(commands.map(({ $kind }) => $kind))],
    });
    expect(inspected.ok && inspected.value).toEqual({
      bytes,
      moveTargets,
      usesSharedObjects: inputs.some((one) => one.Object?.$kind === "SharedObject"),
      publishesCode: commands.some(({ $kind }) => $kind === "Publish" || $kind === "Upgrade"),
      funders: inputs.flatMap(({ FundsWithdrawal: draw }) => draw?.withdrawFrom.SenderAllowance?.funder ?? []),
    });
  }

  const source = fc.constantFrom<Parameters<typeof withdrawalFrom>[0]>(
    { Sender: true },
    { Sponsor: true },
    { SenderAllowance: { funder: ADDRESS, allowance: ADDRESS } },
  );
  const anyInput = fc.oneof({ weight: 4, arbitrary: input }, { weight: 1, arbitrary: source.map(withdrawalFrom) });
  const anyArgument = fc.oneof({ weight: 9, arbitrary: harmless }, { weight: 1, arbitrary: fc.constant(GAS_COIN) });
  const kinds = fc
    .record({
      inputs: fc.array(anyInput, { maxLength: 4 }),
      commands: fc.array(anyCommand(anyArgument), { maxLength: 4 }),
    })
    .map(({ inputs, commands }) => bytesOf(inputs, commands));
  const edits = fc.array(
    fc.record({ at: fc.nat(400), cut: fc.nat(2), put: fc.uint8Array({ maxLength: 2 }), small: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  );

  test("of every kind that can be built", () => {
    fc.assert(fc.property(kinds, expectSame), { numRuns: RUNS });
  });

  test("of kinds with bytes changed, added and cut", () => {
    let accepted = 0;
    const edited = (
      bytes: Uint8Array,
      { at, cut, put, small }: { at: number; cut: number; put: Uint8Array; small: boolean },
    ) => {
      const from = at % (bytes.length + 1);
      // Small values are the ones that mean something: variants, lengths, flags.
      const added = small ? put.map((byte) => byte % 9) : put;
      return concatBytes(bytes.slice(0, from), added, bytes.slice(from + cut));
    };
    fc.assert(
      fc.property(kinds, edits, (bytes, changes) => {
        const changed = changes.reduce(edited, bytes);
        if (reasonOf(changed) === "accepted") accepted += 1;
        expectSame(changed);
      }),
      { numRuns: 2 * RUNS },
    );
    expect(accepted, "changed kinds that still mean something").toBeGreaterThan(RUNS / 8);
  });

  test("of a list that promises more than there is, and of types nested as deep as the bytes reach", () => {
    const promised = Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff, 0x0f);
    expect(reasonOf(promised)).toBe("unsupported_transaction");
    const vectors = concatBytes(Uint8Array.of(0, 0, 1, 5, 1), new Uint8Array(100_000).fill(6), Uint8Array.of(1, 0));
    expect(reasonOf(vectors)).toBe("unsupported_transaction");
  });
});
