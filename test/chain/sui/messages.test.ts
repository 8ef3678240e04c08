import { GrpcTypes, GrpcWebFetchTransport, SuiGrpcClient } from "@mysten/sui/grpc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedFetch } from "../../../shared/chain/sui/grpc/bounded-fetch.ts";
import { decode, encode } from "../../../shared/chain/sui/grpc/codec.ts";
import {
  type Field,
  fieldsOf,
  isDescribed,
  MESSAGE_NAMES,
  type MessageName,
} from "../../../shared/chain/sui/grpc/messages.ts";
import { suiServices } from "../../../shared/chain/sui/grpc/services.ts";

type SdkMessage = (typeof GrpcTypes)["ExecutedTransaction"];
type SdkField = SdkMessage["fields"][number];

const SERVICES = ["ledger", "state", "transactionExecution", "movePackage", "signatureVerification"] as const;
const services = suiServices("http://node.test", () => Promise.reject(new Error("no call is made")));
/** The methods that the service calls, as the SDK describes them. */
const methods = SERVICES.flatMap((name) => {
  const called = new Set(Object.keys(services[`${name}Service`]));
  const { methods: all } = GrpcTypes[`${name[0]?.toUpperCase()}${name.slice(1)}Service` as "LedgerService"];
  return all.filter(({ localName }) => called.has(localName));
});

const nameOf = (typeName: string) => typeName.slice(typeName.lastIndexOf(".") + 1);

/** The SDK's messages by name: those of the calls, and all that they hold. */
const sdkMessages = new Map<string, SdkMessage>();
function collect(message: SdkMessage): void {
  const name = nameOf(message.typeName);
  if (sdkMessages.has(name)) return;
  sdkMessages.set(name, message);
  for (const field of message.fields) {
    if (field.kind === "message") collect(field.T() as SdkMessage);
    if (field.kind === "map" && field.V.kind === "message") collect(field.V.T() as SdkMessage);
  }
}
for (const { I, O } of methods) for (const message of [I, O]) collect(message as unknown as SdkMessage);

/** Scalars by their numbers in the SDK's reflection. */
const SCALARS: Readonly<Record<number, string>> = {
  1: "double",
  3: "int64",
  4: "uint64",
  5: "int32",
  8: "bool",
  9: "string",
  12: "bytes",
  13: "uint32",
};

function typeOf(field: SdkField): string {
  if (field.kind === "message") return nameOf(field.T().typeName);
  return field.kind === "scalar" ? (SCALARS[field.T] ?? "unknown") : field.kind === "enum" ? "int32" : "StructField";
}

const sdkMessage = (name: string) => sdkMessages.get(name) as SdkMessage;
const described = MESSAGE_NAMES.filter((name) => name !== "StructField");

describe("each field has the number, the name and the type that the SDK gives it", () => {
  test.each(described)("%s", (name) => {
    const known = new Map(sdkMessage(name).fields.map((field) => [field.no, field]));
    for (const field of fieldsOf(name)) {
      const sdk = known.get(field.no) as SdkField;
      const isScalar = sdk.kind === "scalar" || sdk.kind === "enum";
      expect(field).toEqual({
        no: sdk.no,
        name: sdk.localName,
        type: typeOf(sdk),
        isList: Boolean(sdk.repeat),
        isMap: sdk.kind === "map",
        hasDefault: isScalar && !sdk.opt && !sdk.repeat && sdk.oneof === undefined,
        choice: sdk.oneof ?? null,
      });
    }
  });
});

/** Values of each type, below a depth in which messages hold no more messages. */
function values(type: string, depthLeft: number): fc.Arbitrary<unknown> | null {
  switch (type) {
    case "bool":
      return fc.boolean();
    case "bytes":
      return fc.uint8Array({ maxLength: 8 });
    case "double":
      return fc.double({ noNaN: true });
    case "int32":
      return fc.integer();
    case "int64":
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case "string":
      return fc.string({ unit: "grapheme", maxLength: 5 });
    case "uint32":
      return fc.nat({ max: 2 ** 32 - 1 });
    case "uint64":
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    default:
      return depthLeft === 0 || !isDescribed(type) ? null : messages(type, depthLeft - 1);
  }
}

function messages(name: MessageName, depthLeft: number): fc.Arbitrary<object> {
  const parts = fieldsOf(name).map((field) => part(field, depthLeft));
  return fc.tuple(...parts).map((made) => Object.assign({}, ...made) as object);
}

/** The part of a message that is one field. */
function part(field: Field, depthLeft: number): fc.Arbitrary<object> {
  const { name, type, isList, isMap, hasDefault, choice } = field;
  const value = values(isMap ? "Value" : type, depthLeft);
  if (isMap)
    return fc
      .dictionary(fc.string({ maxLength: 3 }), value ?? fc.constant({ kind: { oneofKind: undefined } }), {
        maxKeys: 2,
        noNullPrototype: true,
      })
      .map((map) => ({ [name]: map }));
  if (isList)
    return (value === null ? fc.constant([]) : fc.array(value, { maxLength: 2 })).map((list) => ({ [name]: list }));
  if (choice !== null) {
    const chosen = (value ?? fc.constant(undefined)).map((one) =>
      one === undefined ? {} : { [choice]: { oneofKind: name, [name]: one } },
    );
    return fc.oneof(fc.constant({ [choice]: { oneofKind: undefined } }), chosen);
  }
  if (value === null) return fc.constant({});
  return hasDefault
    ? value.map((one) => ({ [name]: one }))
    : fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [name]: one }));
}

describe("a reply reads as the SDK reads it, and a request has the SDK's bytes", () => {
  test.each(methods.map(({ name }) => name))("%s", (method) => {
    const request = `${method}Request` as MessageName;
    const response = `${method}Response` as MessageName;
    fc.assert(
      fc.property(messages(response, 6), messages(request, 4), (reply, question) => {
        const sent = sdkMessage(response).toBinary(sdkMessage(response).create(reply));
        const sdkRead = sdkMessage(response).fromBinary(sent);
        expect(sdkRead).toMatchObject(decode(response, sent) as object);
        expect(decode(response, sent)).toMatchObject(reply);
        const sdkSent = sdkMessage(request).toBinary(sdkMessage(request).create(question));
        expect(encode(request, question)).toEqual(Uint8Array.from(sdkSent));
      }),
      { numRuns: 20 },
    );
  });
});

test("bytes that are no message, or a part of one, read as the SDK reads them", () => {
  const balances = sdkMessage("ListBalancesResponse");
  const sent = messages("ListBalancesResponse", 3).map((reply) => balances.toBinary(balances.create(reply)));
  const altered = fc.tuple(sent, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }), fc.nat());
  const outcome = (read: () => unknown) => {
    try {
      return read();
    } catch {
      return "refused";
    }
  };
  fc.assert(
    fc.property(fc.oneof(altered, fc.tuple(fc.uint8Array({ maxLength: 40 }))), ([bytes, changes = [], cut = 0]) => {
      const given = Uint8Array.from(bytes.subarray(0, bytes.length - (cut % 3)));
      for (const [at, value] of changes) if (given.length > 0) given[at % given.length] = value;
      const ours = outcome(() => decode("ListBalancesResponse", given));
      expect(ours).toEqual(outcome(() => balances.fromBinary(given, { readUnknownField: false })));
    }),
    { numRuns: 500 },
  );
});

test("a request has the URL, the headers and the body of the SDK's transport", async () => {
  const asked: [string, Record<string, string>, unknown][] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { "x-sui-client-protocol-version": version, ...headers } = Object.fromEntries(new Headers(init?.headers));
    asked.push([String(url), { ...headers, version: String(version) }, init?.body]);
    throw new Error("not reached");
  };
  const baseUrl = "https://node.test/key/";
  const request = { owner: "0x2", coinType: "0x2::sui::SUI" };
  const transport = new GrpcWebFetchTransport({ baseUrl, format: "binary", fetch });
  await expect(new SuiGrpcClient({ network: "testnet", transport }).stateService.getBalance(request)).rejects.toThrow();
  await expect(suiServices(baseUrl, boundedFetch(fetch)).stateService.getBalance(request).response).rejects.toThrow(
    "not reached",
  );
  expect(asked[1]).toEqual(asked[0]);
});
