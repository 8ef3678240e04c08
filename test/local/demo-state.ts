import { readFile, rename, writeFile } from "node:fs/promises";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import * as z from "zod";
import { OCTAS_PER_APT } from "../../shared/amounts.ts";
import {
  type AdminAccess,
  APTOS_NETWORK,
  adminCall,
  createAptosFund,
  createFundedFund,
  createFundInProject,
  createKey,
  expectAnswer,
  type FundedFund,
  type ServiceAccess,
} from "./clients.ts";

const demoSchema = z.object({
  projectId: z.string(),
  fundId: z.string(),
  depositAddress: z.string(),
  keyId: z.string(),
  key: z.string(),
  secretsFingerprint: z.string(),
});
const localDemoSchema = demoSchema.extend({
  /** A fund on Aptos in the same project, and an access key with all rights for it. */
  aptosFundId: z.string(),
  aptosKey: z.string(),
  /** The demo user's own key, in the SDK's `suiprivkey…` form: it never leaves this machine. */
  userSecretKey: z.string(),
});

/** What the first start made, kept beside the state so that later starts use the same project, fund and key. */
export type Demo = z.infer<typeof demoSchema>;
/** On the development chain there is a user too, who has transactions sponsored. */
export type LocalDemo = z.infer<typeof localDemoSchema>;

async function load<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : (schema.safeParse(JSON.parse(text)).data ?? null);
}

/** Null when there is none yet. */
export function loadDemo(path: string): Promise<Demo | null> {
  return load(path, demoSchema);
}

/** Null when there is none yet. */
export function loadLocalDemo(path: string): Promise<LocalDemo | null> {
  return load(path, localDemoSchema);
}

export const DEMO_DEPOSIT_MIST = 10_000_000_000n;
export const DEMO_DEPOSIT_OCTAS = 10n * OCTAS_PER_APT;
export const TESTNET = "SUI_TESTNET";

/** Makes project, funds and keys as an operator would, through the admin API, and fills the funds from the faucet. */
export async function createLocalDemo(access: ServiceAccess, path: string, secretsFingerprint: string) {
  const funded = await createFundedFund(access, "demo", [DEMO_DEPOSIT_MIST]);
  const demo: LocalDemo = {
    ...(await withDemoKey(access, funded)),
    ...(await onAptos(access, funded.projectId)),
    userSecretKey: new Ed25519Keypair().getSecretKey(),
    secretsFingerprint,
  };
  await save(path, demo);
  return demo;
}

/** The same on testnet, where nobody but you can fill the fund. */
export async function createTestnetDemo(access: AdminAccess, path: string, secretsFingerprint: string) {
  const fund = await createFundInProject(access, "demo on testnet", { network: TESTNET });
  const demo: Demo = { ...(await withDemoKey(access, fund, { network: TESTNET })), secretsFingerprint };
  await save(path, demo);
  return demo;
}

async function onAptos(access: ServiceAccess, projectId: string) {
  const { fundId: aptosFundId } = await createAptosFund(access, projectId, "demo on Aptos", DEMO_DEPOSIT_OCTAS);
  const terms = {
    name: "demo on Aptos",
    network: APTOS_NETWORK,
    rights: ["wallet", "gas", "node"],
    fundId: aptosFundId,
  };
  return { aptosFundId, aptosKey: (await createKey(access, projectId, terms)).key };
}

async function withDemoKey(access: AdminAccess, fund: FundedFund, fields: object = {}) {
  const terms = { name: "demo", rights: ["wallet", "gas"], fundId: fund.fundId, ...fields };
  const { id: keyId, key } = await createKey(access, fund.projectId, terms);
  return { ...fund, keyId, key };
}

async function save(path: string, demo: Demo): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

const keyStatusSchema = z.object({ status: z.string() });

/** False when the kept key is gone or disabled: then a new demo is made, and the old one stays as it is. */
export async function isDemoUsable(access: AdminAccess, demo: Demo): Promise<boolean> {
  const answer = await adminCall(access, "GET", `/keys/${demo.keyId}`);
  if (answer.status === 404) return false;
  return expectAnswer("reading the demo's access key", answer, keyStatusSchema).status === "active";
}
