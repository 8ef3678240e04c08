// Opens a wallet export without Gasworks. Needs this file, Node 20 or newer, and the wallet's secret:
//
//     node open-export.mjs export.json < secret.txt
//     WALLET_SECRET='…' node open-export.mjs export.json
//
// The secret is never an argument, because other users of the machine can read those. One line break at the end of the
// standard input is not part of it. Prints the address and the private key in the chain's own format, which its wallets
// import: `suiprivkey1…` (SIP-15) or `ed25519-priv-0x…` (AIP-80). Exit code 1, with a line on standard error: not opened.
//
// The formats are those of derivation.ts, context.ts, inner-layer.ts and export.ts beside this file. It is
// an implementation of its own, and shows that their descriptions are enough.
import { Buffer } from "node:buffer";
import {
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  scryptSync,
  timingSafeEqual,
} from "node:crypto";
import { readFileSync } from "node:fs";

class Unopened extends Error {}

const ED25519_FLAG = 0;

const chains = {
  aptos: {
    id: 1,
    // The legacy authentication key: SHA3-256(public key ‖ scheme).
    address: (publicKey) => createHash("sha3-256").update(publicKey).update(Buffer.of(ED25519_FLAG)).digest(),
    privateKey: (seed) => `ed25519-priv-0x${seed.toString("hex")}`,
  },
  sui: {
    id: 2,
    address: (publicKey) => blake2b256(Buffer.concat([Buffer.of(ED25519_FLAG), publicKey])),
    privateKey: (seed) => bech32("suiprivkey", Buffer.concat([Buffer.of(ED25519_FLAG), seed])),
  },
};

const derivations = {
  scrypt: { id: 2, derive: (pre, salt) => scryptSync(pre, salt, 32, { N: 2 ** 14, r: 8, p: 5 }) },
  hkdf: { id: 3, derive: (pre, salt) => hkdf(pre, salt, Buffer.from("ivw1/kdf")) },
};

function readExport(text) {
  const exported = JSON.parse(text);
  const bytes = (name, length) => {
    const value = Buffer.from(String(exported[name]), "hex");
    if (value.length !== length) throw new Unopened(`${name} must be ${length} bytes in hex`);
    return value;
  };
  if (exported?.format !== "gasworks-wallet-export" || exported.version !== 1)
    throw new Unopened("this is no wallet export of version 1");
  const { projectId, walletId, address } = exported;
  if (typeof projectId !== "string" || typeof walletId !== "string")
    throw new Unopened("projectId and walletId must be texts");
  const [chain, derivation] = [chains[exported.chain], derivations[exported.derivation]];
  if (chain === undefined || derivation === undefined) throw new Unopened("unknown chain or derivation");
  return {
    chain,
    derivation,
    address,
    publicKey: bytes("publicKey", 32),
    derivationSalt: bytes("derivationSalt", 32),
    walletSalt: bytes("walletSalt", 32),
    innerLayer: bytes("innerLayer", 109),
    context: Buffer.concat([
      Buffer.from("ivw1/ctx"),
      lengthPrefixed(projectId),
      Buffer.of(chain.id, 0),
      lengthPrefixed(walletId),
    ]),
  };
}

/** The 32 bytes S: derivation.ts. */
function deriveSecret(secret, { derivation, derivationSalt }) {
  const pre = createHmac("sha256", derivationSalt).update("ivw1/secret").update(secret).digest();
  const salt = Buffer.concat([Buffer.from("ivw1/kdf"), Buffer.of(derivation.id), derivationSalt]);
  return derivation.derive(pre, salt);
}

/** The private key's 32 bytes: inner-layer.ts. */
function openInnerLayer(secret, { derivation, context, publicKey, walletSalt, innerLayer }) {
  const keyOf = (label) => hkdf(secret, walletSalt, Buffer.concat([Buffer.from(label), context]));
  if (!timingSafeEqual(keyOf("ivw1/check"), innerLayer.subarray(1, 33)))
    throw new Unopened("wrong secret: it does not open this export, or the export was altered");
  const decipher = createDecipheriv("aes-256-gcm", keyOf("ivw1/inner"), innerLayer.subarray(33, 45));
  decipher.setAAD(Buffer.concat([Buffer.from("ivw1/in"), innerLayer.subarray(0, 1), context, publicKey]));
  decipher.setAuthTag(innerLayer.subarray(-16));
  try {
    if (innerLayer[0] !== derivation.id) throw new Unopened();
    const pkcs8 = Buffer.concat([decipher.update(innerLayer.subarray(45, -16)), decipher.final()]);
    const opened = createPublicKey(createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" }));
    if (!opened.export({ format: "der", type: "spki" }).subarray(-32).equals(publicKey)) throw new Unopened();
    return pkcs8.subarray(-32);
  } catch {
    throw new Unopened("this export was altered: the secret is right, but the key in it is not");
  }
}

function lengthPrefixed(text) {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
}

function hkdf(secret, salt, info) {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, 32));
}

/** BLAKE2b (RFC 7693) of at most one block of 128 bytes, to 32 bytes. OpenSSL has only the hash of 64 bytes. */
function blake2b256(input) {
  const initial = [
    0x6a09e667f3bcc908n,
    0xbb67ae8584caa73bn,
    0x3c6ef372fe94f82bn,
    0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n,
    0x9b05688c2b3e6c1fn,
    0x1f83d9abfb41bd6bn,
    0x5be0cd19137e2179n,
  ];
  const order = [
    "0123456789abcdef",
    "ea489fd61c02b753",
    "b8c052fdae367194",
    "7931dcbe265a40f8",
    "905724afe1bc683d",
    "2c6a0b834d75fe19",
    "c51fed4a0763928b",
    "db7ec13950f4862a",
    "6fe9b308c2d714a5",
    "a2847615fb9e3cd0",
  ];
  const mixes = ["048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"];
  const block = Buffer.concat([input, Buffer.alloc(128 - input.length)]);
  const state = [initial[0] ^ 0x01010020n, ...initial.slice(1)];
  const v = [...state, ...initial];
  v[12] ^= BigInt(input.length);
  v[14] = BigInt.asUintN(64, ~v[14]);
  const turn = (x, bits) => (x >> bits) | BigInt.asUintN(64, x << (64n - bits));
  for (let round = 0; round < 12; round += 1) {
    const words = [...order[round % 10]].map((digit) => block.readBigUInt64LE(8 * Number.parseInt(digit, 16)));
    for (const [index, mix] of mixes.entries()) {
      const [a, b, c, d] = [...mix].map((digit) => Number.parseInt(digit, 16));
      for (const [word, first, second] of [
        [words[2 * index], 32n, 24n],
        [words[2 * index + 1], 16n, 63n],
      ]) {
        v[a] = BigInt.asUintN(64, v[a] + v[b] + word);
        v[d] = turn(v[d] ^ v[a], first);
        v[c] = BigInt.asUintN(64, v[c] + v[d]);
        v[b] = turn(v[b] ^ v[c], second);
      }
    }
  }
  const digest = Buffer.alloc(32);
  for (let word = 0; word < 4; word += 1) digest.writeBigUInt64LE(state[word] ^ v[word] ^ v[word + 8], 8 * word);
  return digest;
}

/** Bech32 (BIP-173). */
function bech32(prefix, bytes) {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const data = (bits.match(/.{1,5}/g) ?? []).map((five) => Number.parseInt(five.padEnd(5, "0"), 2));
  const codes = [...Buffer.from(prefix)];
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  let sum = 1;
  for (const value of [...expanded, ...data, 0, 0, 0, 0, 0, 0]) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].entries())
      if ((top >> bit) & 1) sum ^= generator;
  }
  sum ^= 1;
  const check = [25, 20, 15, 10, 5, 0].map((shift) => (sum >>> shift) & 31);
  return `${prefix}1${[...data, ...check].map((value) => "qpzry9x8gf2tvdw0s3jn54khce6mua7l"[value]).join("")}`;
}

async function readSecret() {
  const given = process.env.WALLET_SECRET;
  if (given !== undefined) return Buffer.from(given, "utf8");
  if (process.stdin.isTTY) console.error("The wallet's secret, then Enter and Ctrl-D:");
  // A pipe that has nothing to read yet fails a synchronous read (EAGAIN).
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const read = Buffer.concat(chunks);
  return read.at(-1) !== 0x0a ? read : read.subarray(0, read.at(-2) === 0x0d ? -2 : -1);
}

async function open() {
  const [path, ...more] = process.argv.slice(2);
  if (path === undefined || more.length > 0)
    throw new Unopened("usage: node open-export.mjs export.json, with the secret on standard input");
  const exported = readExport(readFileSync(path, "utf8"));
  const seed = openInnerLayer(deriveSecret(await readSecret(), exported), exported);
  const address = `0x${exported.chain.address(exported.publicKey).toString("hex")}`;
  if (address !== exported.address) throw new Unopened(`this export was altered: its key is the key of ${address}`);
  console.log(`address     ${address}\nprivate key ${exported.chain.privateKey(seed)}`);
}

try {
  await open();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
