import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  ChainId,
  Deserializer,
  Ed25519Account,
  Ed25519PrivateKey,
  EntryFunction,
  generateSigningMessageForTransaction,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { type AdminAccess, adminCall, createKey } from "../../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../../shared/cli/client/http.ts";
import { rpcCall, rpcResult } from "../../../shared/cli/client/rpc.ts";
import { root } from "../../../shared/cli/root.ts";
import { harness } from "../../harness/harness.ts";
import { startSelfHosted } from "../../harness/self-hosted.ts";

const SECRET = "c3d4".repeat(16);
const WRONG_SECRET = "c4d5".repeat(16);
const exportSchema = z.looseObject({ format: z.literal("gasworks-wallet-export") });
const suiBytes = Uint8Array.from({ length: 120 }, (_, index) => index);

/** The same steps on both chains. */
const chains = {
  sui: { network: "SUI_LOCALNET", keyPath: "/wallet/v1", path: "/wallet/v1", prefix: "svc_" },
  aptos: { network: "APTOS_LOCALNET", keyPath: "/aptos/key/v1", path: "/aptos/wallet/v1", prefix: "" },
} as const;
type Chain = keyof typeof chains;

const addressSchema = z.union([
  z.string(),
  z.object({ accountAddress: z.string() }).transform(({ accountAddress }) => accountAddress),
]);

/** An app of one service, with an access key for a chain. */
async function appAt(access: AdminAccess, chain: Chain) {
  const { network, keyPath, path, prefix } = chains[chain];
  const made = await adminCall(access, "POST", "/projects", { name: "leaving", secretDerivation: "hkdf" });
  const { id: projectId } = expectAnswer("creating a project", made, z.object({ id: z.string() }));
  const { key } = await createKey(access, projectId, { name: "app", network, rights: ["wallet"] });
  const url = `${access.serviceUrl}${path}`;
  return {
    projectId,
    call: (method: string, params: readonly unknown[]) => rpcCall(url, key, `${prefix}wal_${method}`, params),
    result: <Schema extends z.ZodType>(method: string, params: readonly unknown[], schema: Schema) =>
      rpcResult(url, key, `${prefix}wal_${method}`, params, schema),
    session: (secret: string) =>
      rpcResult(`${access.serviceUrl}${keyPath}`, key, `${prefix}key_createSession`, [secret], z.string()),
  };
}
type App = Awaited<ReturnType<typeof appAt>>;

function aptosTransaction(sender: string) {
  const payload = new TransactionPayloadEntryFunction(EntryFunction.build("0x1::demo", "run", [], []));
  return new RawTransaction(AccountAddress.from(sender), 0n, payload, 2_000n, 100n, 4_000_000_000n, new ChainId(4));
}

/** Signs by the service and throws unless the chain's SDK verifies it as this address's. */
async function verifySigning(chain: Chain, app: App, walletId: string, address: string): Promise<void> {
  const token = await app.session(SECRET);
  if (chain === "sui") {
    const signature = await app.result("signTransaction", [walletId, token, toBase64(suiBytes)], z.string());
    await verifyTransactionSignature(suiBytes, signature, { address });
    return;
  }
  const transaction = aptosTransaction(address);
  const answer = z.object({ signature: z.array(z.number()) });
  const params = [walletId, token, transaction.bcsToHex().toString()];
  const { signature: bytes } = await app.result("signTransaction", params, answer);
  const { public_key, signature } = AccountAuthenticatorEd25519.load(new Deserializer(Uint8Array.from(bytes.slice(1))));
  const message = generateSigningMessageForTransaction(new SimpleTransaction(transaction));
  expect(public_key.verifySignature({ message, signature })).toBe(true);
  expect(public_key.authKey().derivedAddress().toString()).toBe(address);
}

/** The address that the chain's SDK gives the printed key, after it has signed with it. */
async function addressOfKey(chain: Chain, privateKey: string): Promise<string> {
  if (chain === "sui") {
    const pair = Ed25519Keypair.fromSecretKey(privateKey);
    const { signature } = await pair.signTransaction(suiBytes);
    return (await verifyTransactionSignature(suiBytes, signature)).toSuiAddress();
  }
  const account = new Ed25519Account({ privateKey: new Ed25519PrivateKey(privateKey) });
  const transaction = aptosTransaction(account.accountAddress.toString());
  const message = generateSigningMessageForTransaction(new SimpleTransaction(transaction));
  expect(account.publicKey.verifySignature({ message, signature: account.sign(message) })).toBe(true);
  return account.accountAddress.toString();
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gasworks-leaving-"));
  await copyFile(join(root, "shared/wallet/open-export.mjs"), join(folder, "open-export.mjs"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** In a folder that holds the opener and the export, and nothing else. */
async function open(file: string, secret: string) {
  const child = spawn(process.execPath, ["open-export.mjs", file], { cwd: folder, env: {} });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stdin.end(secret);
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const [, address = "", privateKey = ""] = /^address +(\S+)\nprivate key +(\S+)\n$/.exec(stdout) ?? [];
  return { exitCode, address, privateKey };
}

describe("wallets that were exported before their service and all of its state were deleted", () => {
  const exports = new Map<Chain, { readonly exported: unknown; readonly address: string }>();

  beforeAll(async () => {
    const first = await startSelfHosted();
    try {
      for (const chain of ["sui", "aptos"] as const) {
        const app = await appAt(first, chain);
        expectAnswer(
          "the switch",
          await adminCall(first, "PATCH", `/projects/${app.projectId}`, { exportEnabled: true }),
          z.unknown(),
        );
        const token = await app.session(SECRET);
        const address = await app.result("createWallet", ["user-1", token], addressSchema);
        const exported = await app.result("exportWallet", ["user-1", token], exportSchema);
        await verifySigning(chain, app, "user-1", address);
        await writeFile(join(folder, `${chain}.json`), JSON.stringify(exported));
        exports.set(chain, { exported, address });
      }
    } finally {
      await first.stop();
    }
    expect(existsSync(first.serviceState)).toBe(false);
    await expect(fetch(first.serviceUrl)).rejects.toThrow();
  });

  function ofChain(chain: Chain) {
    const wallet = exports.get(chain);
    if (wallet === undefined) throw new Error("nothing was exported");
    return wallet;
  }

  test.each(["sui", "aptos"] as const)("open by the secret alone, and sign as the same address: %s", async (chain) => {
    const { address } = ofChain(chain);
    const opened = await open(`${chain}.json`, SECRET);
    expect(opened).toMatchObject({ exitCode: 0, address });
    expect(await addressOfKey(chain, opened.privateKey)).toBe(address);
  });

  test.each(["sui", "aptos"] as const)("open by no other secret: %s", async (chain) => {
    expect(await open(`${chain}.json`, WRONG_SECRET)).toEqual({ exitCode: 1, address: "", privateKey: "" });
  });

  test.each(["sui", "aptos"] as const)(
    "are the same address in another instance, with other master keys, and sign there: %s",
    async (chain) => {
      const { exported, address } = ofChain(chain);
      const app = await appAt(harness, chain);
      expect((await app.call("importWallet", ["user-7", WRONG_SECRET, exported])).body).toMatchObject({
        error: { data: { reason: "wrong_secret" } },
      });
      expect(await app.result("importWallet", ["user-7", SECRET, exported], addressSchema)).toBe(address);
      expect(await app.result("getWallet", ["user-7"], addressSchema)).toBe(address);
      await verifySigning(chain, app, "user-7", address);
    },
  );
});
