import { concatBytes, utf8 } from "../../../shared/bytes.ts";

/** BCS written part by part, so that a test can reach each length and each variant, and what the SDK cannot build. */
export type Part = Uint8Array | { readonly uleb: number };
export type Parts = readonly Part[];

export const uleb = (value: number): Part => ({ uleb: value });
export const byte = (value: number): Part => Uint8Array.of(value);
export const filled = (size: number, value = 0): Part => new Uint8Array(size).fill(value);
export const u64 = (value: bigint): Part => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
};
export const vector = (...elements: readonly Parts[]): Parts => [uleb(elements.length), ...elements.flat()];
export const blob = (bytes: Uint8Array): Parts => [uleb(bytes.length), bytes];
export const text = (value: string): Parts => blob(utf8(value));
export const address = (last: number): Part => new Uint8Array(32).with(31, last);
export const longAddress = (last: number): string => `0x${last.toString(16).padStart(64, "0")}`;

function ulebBytes(value: number, paddingBytes = 0): Uint8Array {
  const groups: number[] = [];
  for (let rest = value; groups.length === 0 || rest > 0; rest = Math.floor(rest / 128)) groups.push(rest % 128);
  groups.push(...Array<number>(paddingBytes).fill(0));
  return Uint8Array.from(groups, (group, index) => (index < groups.length - 1 ? group | 0x80 : group));
}

export function join(parts: Parts): Uint8Array {
  return concatBytes(...parts.map((part) => ("uleb" in part ? ulebBytes(part.uleb) : part)));
}

/** The same bytes with one length or variant written in more bytes than it needs; one result for each. */
export function padded(parts: Parts, paddingBytes: number): readonly Uint8Array[] {
  return parts.flatMap((part, index) =>
    "uleb" in part ? [join(parts.with(index, ulebBytes(part.uleb, paddingBytes)))] : [],
  );
}

/** A raw transaction that runs a payload, sent by address 0xa1. */
export function transaction(payload: Parts): Parts {
  return [address(0xa1), u64(7n), ...payload, u64(200_000n), u64(100n), u64(1_893_456_000n), byte(2)];
}

/** What the codec makes of `transaction`. */
export function decoded<Payload>(payload: Payload) {
  return {
    sender: longAddress(0xa1),
    sequenceNumber: 7n,
    payload,
    maxGasAmount: 200_000n,
    gasUnitPriceOctas: 100n,
    expirationTimestampSeconds: 1_893_456_000n,
    chainId: 2,
  };
}

const TAG_U8 = uleb(1);
export const vectorTag = (element: Parts): Parts => [uleb(6), ...element];
export const structTag = (...typeArguments: readonly Parts[]): Parts => [
  uleb(7),
  address(1),
  ...text("coin"),
  ...text("Coin"),
  ...vector(...typeArguments),
];

export function entryFunction(
  typeArguments: readonly Parts[],
  args: readonly Uint8Array[],
  [module, name] = ["coin", "transfer"],
): Parts {
  return [
    address(1),
    ...text(module ?? ""),
    ...text(name ?? ""),
    ...vector(...typeArguments),
    ...vector(...args.map(blob)),
  ];
}
export const script = (typeArguments: readonly Parts[], args: readonly Parts[]): Parts => [
  ...blob(Uint8Array.of(0xa1, 0x1c)),
  ...vector(...typeArguments),
  ...vector(...args),
];

export const ENTRY_ARGUMENTS = [new Uint8Array(32).fill(5), new Uint8Array(200).fill(6)];
export const ENTRY = entryFunction([structTag([TAG_U8], vectorTag([TAG_U8]))], ENTRY_ARGUMENTS);
export const SCRIPT = script([[TAG_U8]], [[uleb(5), byte(1)]]);

const none = byte(0);
const some = (...parts: Parts): Parts => [byte(1), ...parts];
const multipliers: Parts = [uleb(0), u64(200n), u64(300n)];

/** A payload of every form, by name. */
export const payloads: Readonly<Record<string, Parts>> = {
  script: [uleb(0), ...SCRIPT],
  "entry function": [uleb(2), ...ENTRY],
  "multisig, stored": [uleb(3), address(9), none],
  "multisig, entry function": [uleb(3), address(9), ...some(uleb(0), ...ENTRY)],
  "multisig, script": [uleb(3), address(9), ...some(uleb(1), ...SCRIPT)],
  "versioned script": [uleb(4), uleb(0), uleb(0), ...SCRIPT, uleb(0), none, none],
  "versioned entry function": [uleb(4), uleb(0), uleb(1), ...ENTRY, uleb(0), none, none],
  "versioned multisig, stored": [uleb(4), uleb(0), uleb(2), uleb(0), ...some(address(9)), none],
  orderless: [uleb(4), uleb(0), uleb(1), ...ENTRY, uleb(0), none, ...some(u64(42n))],
  "orderless with nonce 0": [uleb(4), uleb(0), uleb(1), ...ENTRY, uleb(0), none, ...some(u64(0n))],
  "version 2 without limits": [uleb(4), uleb(0), uleb(1), ...ENTRY, uleb(1), none, none, none],
  "limits of a stake pool owner": [
    ...[uleb(4), uleb(0), uleb(1), ...ENTRY, uleb(1), none, none],
    ...some(uleb(0), ...multipliers),
  ],
  "limits of a delegated voter": [
    ...[uleb(4), uleb(0), uleb(1), ...ENTRY, uleb(1), none, none],
    ...some(uleb(1), address(8), ...multipliers),
  ],
  "limits of a delegator": [
    ...[uleb(4), uleb(0), uleb(1), ...ENTRY, uleb(1), none, none],
    ...some(uleb(2), address(8), ...multipliers),
  ],
};

const ED25519_KEY = blob(new Uint8Array(32).fill(3));
const ED25519_SIGNATURE = blob(new Uint8Array(64).fill(4));
export const ED25519: Parts = [uleb(0), ...ED25519_KEY, ...ED25519_SIGNATURE];
export const ANY_ED25519_KEY: Parts = [uleb(0), ...ED25519_KEY];
export const ANY_ED25519_SIGNATURE: Parts = [uleb(0), ...ED25519_SIGNATURE];
const ECDSA_KEY = blob(new Uint8Array(65).fill(5));
const ECDSA_SIGNATURE = blob(new Uint8Array(64).fill(6));
const KEYLESS_KEY: Parts = [...text("https://accounts.google.com"), ...blob(new Uint8Array(32).fill(7))];
export const keylessSignature = (certificate: Parts, key: Parts, signature: Parts): Parts => [
  ...certificate,
  ...text('{"alg":"RS256"}'),
  u64(1_893_456_000n),
  ...key,
  ...signature,
];
export const ZERO_KNOWLEDGE: Parts = [
  ...[uleb(0), uleb(0), filled(32, 1), filled(64, 2), filled(32, 3), u64(10_000_000n)],
  ...[...some(...text("extra")), none, ...some(...ANY_ED25519_SIGNATURE)],
];
export const multiEd25519 = (keys: number, threshold: number, signatures: number, bitmap: Uint8Array): Parts => [
  uleb(1),
  ...blob(new Uint8Array(keys * 32 + 1).fill(8).with(keys * 32, threshold)),
  ...blob(join([filled(signatures * 64, 9), bitmap])),
];
export const multiKey = (keys: readonly Parts[], signatures: readonly Parts[], bitmap: Uint8Array): Parts => [
  ...[uleb(3), ...vector(...keys), byte(signatures.length), ...vector(...signatures), ...blob(bitmap)],
];

/** An authenticator of every form, by name. */
export const authenticators: Readonly<Record<string, Parts>> = {
  Ed25519: ED25519,
  MultiEd25519: multiEd25519(3, 2, 2, Uint8Array.of(0b1010_0000, 0, 0, 0)),
  secp256k1: [uleb(2), uleb(1), ...ECDSA_KEY, uleb(1), ...ECDSA_SIGNATURE],
  WebAuthn: [
    ...[uleb(2), uleb(2), ...ECDSA_KEY, uleb(2), uleb(0), ...ECDSA_SIGNATURE],
    ...[...blob(new Uint8Array(37)), ...text('{"type":"webauthn.get"}')],
  ],
  keyless: [
    ...[uleb(2), uleb(3), ...KEYLESS_KEY, uleb(3)],
    ...keylessSignature(ZERO_KNOWLEDGE, ANY_ED25519_KEY, ANY_ED25519_SIGNATURE),
  ],
  "federated keyless": [
    ...[uleb(2), uleb(4), address(6), ...KEYLESS_KEY, uleb(3)],
    ...keylessSignature(ZERO_KNOWLEDGE, ANY_ED25519_KEY, ANY_ED25519_SIGNATURE),
  ],
  MultiKey: multiKey([ANY_ED25519_KEY, ANY_ED25519_KEY], [ANY_ED25519_SIGNATURE], Uint8Array.of(0x40)),
};

/** A signed transaction of every form, by name. */
export const signed: Readonly<Record<string, Parts>> = Object.fromEntries(
  Object.entries({
    "by an Ed25519 key": ED25519,
    "by a MultiEd25519 key": multiEd25519(1, 1, 1, Uint8Array.of(0x80, 0, 0, 0)),
    "by several agents": [uleb(2), ...ED25519, ...vector([address(2)]), ...vector(ED25519)],
    "with a fee payer": [uleb(3), ...ED25519, ...vector([address(2)]), ...vector(ED25519), address(3), ...ED25519],
    "by a single key": [uleb(4), uleb(2), ...ANY_ED25519_KEY, ...ANY_ED25519_SIGNATURE],
  }).map(([name, authenticator]) => [name, [...transaction([uleb(2), ...ENTRY]), ...authenticator]]),
);
