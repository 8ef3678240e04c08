import * as z from "zod";
import { keyStatuses, limitsSchema } from "../../../shared/access/record.ts";
import { rights } from "../../../shared/api/contract.ts";
import type { ShownAccessKey } from "../../../shared/bindings/access-key.ts";
import type { ProjectView } from "../../../shared/bindings/project.ts";
import { chains, networkSchema } from "../../../shared/networks.ts";
import { policyViewSchema, showPolicy } from "../../../shared/policy/policy-schema.ts";
import type { WalletRow } from "../../../shared/project/views.ts";
import { secretDerivations } from "../../../shared/wallet/derivation.ts";
import { fund, instant, iso, key, project } from "./route/fields.ts";

const MAX_WALLETS_PER_MONTH = 1_000_000_000;

/** The schema of a project's limit on new wallets a month. Null if there is no limit. */
export const walletsPerMonthSchema = z.int().min(0).max(MAX_WALLETS_PER_MONTH).nullable();

/** The schema of a project. */
export const projectSchema = z.object({
  id: project.idSchema,
  name: z.string(),
  secretDerivation: z.enum(secretDerivations),
  walletsPerMonth: z.int().nullable(),
  exportEnabled: z.boolean().describe("true lets a caller with a session of a wallet export that wallet"),
  createdAt: instant,
});

/** Returns a project in the form of the admin API. */
export function showProject({
  projectId,
  createdAtMs,
  sessionEpoch: _,
  ...view
}: ProjectView): z.input<typeof projectSchema> {
  return { id: projectId, ...view, createdAt: iso(createdAtMs) };
}

/** The schema of a wallet in a list. */
export const walletSchema = z.object({
  chain: z.enum(chains),
  walletId: z.string(),
  address: z.string(),
  createdAt: instant,
});

/** Returns a wallet in the form of the admin API. */
export function showWallet({ chain, walletId, address, createdAtMs }: WalletRow): z.input<typeof walletSchema> {
  return { chain, walletId, address, createdAt: iso(createdAtMs) };
}

/** The schema of an access key. It never holds the key itself. */
export const keySchema = z.object({
  id: key.idSchema,
  projectId: project.idSchema,
  name: z.string(),
  network: networkSchema,
  rights: z.array(z.enum(rights)).readonly(),
  fundId: fund.idSchema.nullable(),
  limits: limitsSchema,
  policy: policyViewSchema,
  status: z.enum(keyStatuses),
  refusals: z
    .object({ today: z.int().describe("on this day, UTC"), last30Days: z.int().describe("today included") })
    .nullable()
    .describe("the calls that were not admitted; null only during a roll-out"),
  createdAt: instant,
});

/** Returns an access key in the form of the admin API, without the key itself. */
export function showKey({ keyId, policy, createdAtMs, ...view }: ShownAccessKey): z.input<typeof keySchema> {
  const { refusals = null, ...shown } = view;
  return { id: keyId, ...shown, policy: showPolicy(policy), refusals, createdAt: iso(createdAtMs) };
}
