import { readFile, rename, writeFile } from "node:fs/promises";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import * as z from "zod";
import { adminCall, createFundedFund, createKey, expectAnswer, NETWORK, type ServiceAccess } from "./clients.ts";

const demoSchema = z.object({
  projectId: z.string(),
  fundId: z.string(),
  depositAddress: z.string(),
  keyId: z.string(),
  key: z.string(),
  /** The demo user's own key, in the SDK's `suiprivkey…` form: it never leaves this machine. */
  userSecretKey: z.string(),
  secretsFingerprint: z.string(),
});

/** What the first start made, kept beside the state so that later starts use the same project, fund and key. */
export type Demo = z.infer<typeof demoSchema>;

/** Null when there is none yet. */
export async function loadDemo(path: string): Promise<Demo | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : (demoSchema.safeParse(JSON.parse(text)).data ?? null);
}

export const DEMO_DEPOSIT_MIST = 10_000_000_000n;

/** Makes project, fund and key as an operator would, through the admin API, and fills the fund from the faucet. */
export async function createDemo(access: ServiceAccess, path: string, secretsFingerprint: string): Promise<Demo> {
  const funded = await createFundedFund(access, "demo", [DEMO_DEPOSIT_MIST]);
  const { id: keyId, key } = await createKey(access, funded.projectId, {
    name: "demo",
    rights: ["gas"],
    fundId: funded.fundId,
  });
  const userSecretKey = new Ed25519Keypair().getSecretKey();
  const demo: Demo = { ...funded, keyId, key, userSecretKey, secretsFingerprint };
  await writeFile(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return demo;
}

const keyStatusSchema = z.object({ status: z.string(), network: z.literal(NETWORK) });

/** False when the kept key is gone or disabled: then a new demo is made, and the old one stays as it is. */
export async function isDemoUsable(access: ServiceAccess, demo: Demo): Promise<boolean> {
  const answer = await adminCall(access, "GET", `/keys/${demo.keyId}`);
  if (answer.status === 404) return false;
  return expectAnswer("reading the demo's access key", answer, keyStatusSchema).status === "active";
}
