import { spawn } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeSuiPrivateKey } from "@mysten/sui/cryptography";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aptosImportWallet } from "../../shared/api/aptos-wallet.ts";
import { suiImportWallet } from "../../shared/api/sui-wallet.ts";
import { concatBytes, toHex, utf8 } from "../../shared/bytes.ts";
import { suiAddress } from "../../shared/chain/sui/transaction.ts";
import { root } from "../../shared/cli/root.ts";
import type { Chain } from "../../shared/networks.ts";
import { sleep } from "../../shared/timing.ts";
import { createSecretDeriver, DERIVATION_LIMITS } from "../../shared/wallet/derivation.ts";
import { exportWallet, type WalletExport, walletExportSchema } from "../../shared/wallet/export.ts";
import { createWallet, openWallet } from "../../shared/wallet/record.ts";
import { createThrottle } from "../../shared/wallet/throttle.ts";
import { expectDone, masterKeys, randomBytes } from "../support/custody.ts";

const MESSAGE = utf8("a transaction");
const PHRASE = " correct horse ключ 🔑";
const RANDOM = "5a6b".repeat(16);

const deriveSecret = createSecretDeriver(createThrottle(DERIVATION_LIMITS, Date.now));

/** A folder with nothing but the opener in it: no packages, no other file of the repository. */
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gasworks-export-"));
  await copyFile(join(root, "shared/wallet/open-export.mjs"), join(folder, "open-export.mjs"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Opened {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function open(
  exported: unknown,
  {
    stdin = "",
    writesAfterMs = 0,
    env = {},
    args = [],
  }: { stdin?: string; writesAfterMs?: number; env?: Record<string, string>; args?: readonly string[] },
): Promise<Opened> {
  await writeFile(join(folder, "export.json"), JSON.stringify(exported));
  const child = spawn(process.execPath, ["open-export.mjs", "export.json", ...args], { cwd: folder, env });
  const read = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      read[name] += text;
    });
  // A child that refuses its arguments ends before it has read anything.
  child.stdin.on("error", () => {});
  if (writesAfterMs > 0) await sleep(writesAfterMs);
  child.stdin.end(stdin);
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exitCode, ...read };
}

function aptosAddress(publicKey: Uint8Array): string {
  return `0x${toHex(sha3_256(concatBytes(publicKey, Uint8Array.of(0))))}`;
}

async function exportedWallet(chain: Chain, secretText: string, derivation: "scrypt" | "hkdf") {
  const wallet = { projectId: "prj_0000000000000000000a", chain, walletId: "пользователь 42" };
  const salt = randomBytes(32);
  const secret = expectDone(await deriveSecret(secretText, { derivation, salt }));
  const stored = await createWallet(wallet, secret, masterKeys("1"), randomBytes);
  const signer = expectDone(await openWallet(stored, wallet, secret, masterKeys("1")));
  const address = chain === "sui" ? suiAddress(stored.publicKey) : aptosAddress(stored.publicKey);
  const exported = expectDone(await exportWallet(stored, wallet, secret, masterKeys("1"), salt));
  return { exported, address, signature: await signer.sign(MESSAGE) };
}

function printed({ stdout, stderr, exitCode }: Opened): { address: string; privateKey: string } {
  const [, address = "", privateKey = ""] = /^address +(\S+)\nprivate key +(\S+)\n$/.exec(stdout) ?? [];
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return { address, privateKey };
}

describe("an exported wallet", () => {
  test.each([
    ["scrypt", PHRASE],
    ["hkdf", RANDOM],
  ] as const)(
    "on Sui (%s) opens by its secret alone into the key that the Sui SDK signs with",
    async (derivation, secret) => {
      const { exported, address, signature } = await exportedWallet("sui", secret, derivation);
      const opened = printed(await open(exported, { stdin: `${secret}\n` }));
      const { scheme, secretKey } = decodeSuiPrivateKey(opened.privateKey);
      const pair = Ed25519Keypair.fromSecretKey(secretKey);
      expect(scheme).toBe("ED25519");
      expect([opened.address, pair.toSuiAddress()]).toEqual([address, address]);
      expect(await pair.sign(MESSAGE)).toEqual(signature);
    },
  );

  test.each([
    ["scrypt", PHRASE],
    ["hkdf", RANDOM],
  ] as const)(
    "on Aptos (%s) opens by its secret alone into an AIP-80 key of its address",
    async (derivation, secret) => {
      const { exported, address, signature } = await exportedWallet("aptos", secret, derivation);
      const opened = printed(await open(exported, { env: { WALLET_SECRET: secret } }));
      expect(opened.address).toBe(address);
      const [, seed = ""] = /^ed25519-priv-0x([0-9a-f]{64})$/.exec(opened.privateKey) ?? [];
      const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
      const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
      expect(new Uint8Array(sign(null, MESSAGE, key))).toEqual(signature);
    },
  );
});

test.each([suiImportWallet, aptosImportWallet])(
  "the export in the example of $name opens by its secret",
  async ({ example }) => {
    const [, secret, exported] = example.params;
    const { address } = walletExportSchema.parse(exported);
    expect(printed(await open(exported, { stdin: String(secret) })).address).toBe(address);
  },
);

describe("the opener", () => {
  let wallet: { exported: WalletExport; address: string };
  beforeAll(async () => {
    wallet = await exportedWallet("sui", RANDOM, "hkdf");
  });

  function refused({ exitCode, stdout, stderr }: Opened): string {
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).not.toContain(RANDOM);
    expect(stderr).not.toContain("    at ");
    return stderr;
  }

  test("says that a secret is wrong, and prints nothing else", async () => {
    for (const stdin of ["", "5b6c".repeat(16), `${RANDOM} `, `${RANDOM}\n\n`])
      expect(refused(await open(wallet.exported, { stdin })), JSON.stringify(stdin)).toContain("wrong secret");
  });

  test("takes a secret file with or without a line break at its end, of either kind", async () => {
    for (const stdin of [RANDOM, `${RANDOM}\n`, `${RANDOM}\r\n`])
      expect(printed(await open(wallet.exported, { stdin })).address).toBe(wallet.address);
  });

  test("waits for a secret that comes late", async () => {
    // A wait that is too short lets a wrong program pass, and fails no right one.
    const late = await open(wallet.exported, { stdin: RANDOM, writesAfterMs: 500 });
    expect(printed(late).address).toBe(wallet.address);
  });

  test("takes no secret as an argument", async () => {
    expect(refused(await open(wallet.exported, { args: [RANDOM] }))).toContain("usage");
  });

  test.each([
    ["publicKey", "altered"],
    ["derivationSalt", "wrong secret"],
    ["walletSalt", "wrong secret"],
    ["innerLayer", "altered"],
    ["address", "altered"],
  ] as const)("does not open an export whose %s was altered", async (field, complaint) => {
    const value = wallet.exported[field];
    const altered = value.slice(0, -1) + (value.endsWith("0") ? "1" : "0");
    expect(refused(await open({ ...wallet.exported, [field]: altered }, { stdin: RANDOM }))).toContain(complaint);
  });

  test.each([
    ["another wallet's id", { walletId: "user-43" }, "wrong secret"],
    ["another project", { projectId: "prj_0000000000000000000b" }, "wrong secret"],
    ["another chain", { chain: "aptos" }, "wrong secret"],
    ["an unknown chain", { chain: "bitcoin" }, "unknown chain"],
    ["another version", { version: 2 }, "no wallet export of version 1"],
    ["no wallet id", { walletId: undefined }, "projectId and walletId must be texts"],
    ["a cut layer", { innerLayer: "02" }, "innerLayer must be 109 bytes"],
  ])("does not open an export of %s", async (_, change, complaint) => {
    expect(refused(await open({ ...wallet.exported, ...change }, { stdin: RANDOM }))).toContain(complaint);
  });

  test("says so of a file that is no export", async () => {
    for (const text of [null, [], "text", {}])
      expect(refused(await open(text, { stdin: RANDOM }))).toContain("no wallet");
  });
});
