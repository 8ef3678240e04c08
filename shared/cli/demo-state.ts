import { readFile, rename, writeFile } from "node:fs/promises";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import * as z from "zod";
import { OCTAS_PER_APT } from "../amounts.ts";
import { isAptosNetwork, type Network, networkSchema } from "../networks.ts";
import { keyMoveTargets } from "../policy/key-policy.ts";
import type { Rule } from "../policy/rule.ts";
import { type AdminAccess, APTOS_NETWORK, createKey, SUI_NETWORK } from "./client/admin.ts";
import {
  createAptosFund,
  createFundedFund,
  createFundInProject,
  type ProjectFund,
  type ServiceAccess,
} from "./client/funds.ts";
import { allowedText, readKey, setMoveTargets } from "./workflow-keys.ts";

const demoSchema = z.object({
  projectId: z.string(),
  fundId: z.string(),
  depositAddress: z.string(),
  keyId: z.string(),
  key: z.string(),
  /** The workflows' own access keys, one for each network. A state of an earlier version has none. */
  workflowKeys: z.array(z.object({ network: networkSchema, keyId: z.string(), key: z.string() })).default([]),
  secretsFingerprint: z.string(),
});
const localDemoSchema = demoSchema.extend({
  /** A fund on Aptos in the same project, and an access key with all rights for it. */
  aptosFundId: z.string(),
  aptosKey: z.string(),
  /** The demo user's own key, in the SDK's `suiprivkey…` form. It never leaves this machine. */
  userSecretKey: z.string(),
});

/**
 * The results of the first start. They are kept beside the state, so that later starts use the same project, fund and
 * key.
 */
export type Demo = z.infer<typeof demoSchema>;
type WorkflowKey = Demo["workflowKeys"][number];
/** The state of a demo on the development chain. It also has a user whose transactions are sponsored. */
export type LocalDemo = z.infer<typeof localDemoSchema>;

async function load<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : (schema.safeParse(JSON.parse(text)).data ?? null);
}

/** Returns null if none was saved yet. */
export function loadDemo(path: string): Promise<Demo | null> {
  return load(path, demoSchema);
}

/** Returns null if none was saved yet. */
export function loadLocalDemo(path: string): Promise<LocalDemo | null> {
  return load(path, localDemoSchema);
}

/** The deposit to the demo's fund on Sui. */
export const DEMO_DEPOSIT_MIST = 10_000_000_000n;
/** The deposit to the demo's fund on Aptos. */
export const DEMO_DEPOSIT_OCTAS = 10n * OCTAS_PER_APT;
const TESTNET = "SUI_TESTNET";

/** Makes project, funds and keys through the admin API, as an operator does. Fills the funds from the faucet. */
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

/** Makes the same on testnet, except that only the person can fill the fund. */
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

async function withDemoKey(access: AdminAccess, fund: ProjectFund, fields: object = {}) {
  const terms = { name: "demo", rights: ["wallet", "gas"], fundId: fund.fundId, ...fields };
  const { id: keyId, key } = await createKey(access, fund.projectId, terms);
  return { ...fund, keyId, key, workflowKeys: [] };
}

/** A demo project with the keys of its workflows. */
export interface Furnished<Kept extends Demo> {
  readonly demo: Kept;
  /** The workflows have to be started with new keys. */
  readonly hasNewKeys: boolean;
}

/**
 * Makes the workflows' access keys, or changes existing ones to the present policy.
 *
 * @param tell receives each creation or change as a line for people.
 */
export async function furnishWorkflows<Kept extends Demo>(
  access: AdminAccess,
  demo: Kept,
  {
    rules,
    path,
    tell,
  }: { readonly rules: readonly Rule[]; readonly path: string; readonly tell: (line: string) => void },
): Promise<Furnished<Kept>> {
  const workflowKeys: WorkflowKey[] = [];
  for (const { network, fundId } of fundsOf(demo)) {
    const allow = keyMoveTargets(rules, network);
    const kept = demo.workflowKeys.find((one) => one.network === network);
    const isKept = kept !== undefined && (await readKey(access, kept.keyId))?.status === "active";
    if (isKept && (await setMoveTargets(access, kept.keyId, allow)))
      tell(`the workflows' access key ${kept.keyId} allows from now on ${allowedText(allow, network)}`);
    workflowKeys.push(isKept ? kept : await makeWorkflowKey(access, demo.projectId, { network, fundId, allow }));
  }
  const hasNewKeys = workflowKeys.some((one) => !demo.workflowKeys.includes(one));
  if (!hasNewKeys) return { demo, hasNewKeys };
  const furnished = { ...demo, workflowKeys };
  await save(path, furnished);
  tell("the workflows have access keys of their own, which allow what functions/policy.ts allows");
  return { demo: furnished, hasNewKeys };
}

function fundsOf(demo: Demo | LocalDemo): readonly { readonly network: Network; readonly fundId: string }[] {
  return "aptosFundId" in demo
    ? [
        { network: SUI_NETWORK, fundId: demo.fundId },
        { network: APTOS_NETWORK, fundId: demo.aptosFundId },
      ]
    : [{ network: TESTNET, fundId: demo.fundId }];
}

async function makeWorkflowKey(
  access: AdminAccess,
  projectId: string,
  {
    network,
    fundId,
    allow,
  }: { readonly network: Network; readonly fundId: string; readonly allow: readonly string[] | null },
): Promise<WorkflowKey> {
  const rights = isAptosNetwork(network) ? ["wallet", "gas", "node"] : ["wallet", "gas"];
  const terms = { name: "workflows", network, rights, fundId, policy: { moveTargets: { allow } } };
  const { id: keyId, key } = await createKey(access, projectId, terms);
  return { network, keyId, key };
}

async function save(path: string, demo: Demo): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Returns false if the kept key is gone or disabled. A new demo is then made, and the old one stays as it is. */
export async function isDemoUsable(access: AdminAccess, demo: Demo): Promise<boolean> {
  return (await readKey(access, demo.keyId))?.status === "active";
}
