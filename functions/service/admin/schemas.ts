import { Buffer } from "node:buffer";
import * as z from "zod";
import { type AccessKeyView, keyStatuses, limitsSchema } from "../../../shared/access/access-key.ts";
import { KEY_ID } from "../../../shared/access/key-format.ts";
import { rights } from "../../../shared/api/contract.ts";
import type { Deps } from "../../../shared/deps.ts";
import { type FundView, type SponsorshipView, sponsorshipStates } from "../../../shared/fund/views.ts";
import { networkSchema, suiNetworkSchema } from "../../../shared/networks.ts";
import { type ProjectView, secretDerivations } from "../../../shared/objects/project.ts";
import { CURSOR, type Page } from "../../../shared/paging.ts";
import type { Resource } from "./route.ts";

const MAX_NAME_CHARACTERS = 100;
const MAX_WALLETS_PER_MONTH = 1_000_000_000;
const DEFAULT_PAGE = 20;
const MAX_PAGE = 200;
/** Each item of such a list is one call to its object; the free plan allows 50 subrequests a request. */
const MAX_PAGE_OF_OBJECTS = 40;
const ID_RANDOM_BYTES = 10;

export const project: Resource = { name: "project", idSchema: z.string().regex(/^prj_[0-9a-f]{20}$/) };
export const fund: Resource = { name: "fund", idSchema: z.string().regex(/^fund_[0-9a-f]{20}$/) };
export const key: Resource = { name: "key", idSchema: z.string().regex(KEY_ID) };

/** An id is the name of its object, so that no index stands between the two. */
export function newId(prefix: "prj" | "fund" | "key", deps: Deps): string {
  return `${prefix}_${Buffer.from(deps.randomBytes(ID_RANDOM_BYTES)).toString("hex")}`;
}

export const nameSchema = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");

export const walletsPerMonthSchema = z.int().min(0).max(MAX_WALLETS_PER_MONTH).nullable();

/** PATCH changes the fields that are sent; one that sends none is a mistake. */
export function hasField(body: object): boolean {
  return Object.keys(body).length > 0;
}
export const NO_FIELD = "names no field to change";

function pageQuery(maxLimit: number) {
  return z.strictObject({
    limit: z.coerce.number().int().min(1).max(maxLimit).default(DEFAULT_PAGE),
    cursor: z.string().regex(CURSOR, "is not a cursor of this list").nullable().default(null),
  });
}

export const rowsQuery = pageQuery(MAX_PAGE);
export const objectsQuery = pageQuery(MAX_PAGE_OF_OBJECTS);

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item).readonly(), nextCursor: z.string().nullable() });
}

export function mapPage<Item, Shown>(page: Page<Item>, show: (item: Item) => Shown): Page<Shown> {
  return { items: page.items.map(show), nextCursor: page.nextCursor };
}

const mist = z
  .string()
  .regex(/^(0|[1-9][0-9]*)$/)
  .describe("MIST, as a decimal string");
const instant = z.iso.datetime();

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

export const projectSchema = z.object({
  id: project.idSchema,
  name: z.string(),
  secretDerivation: z.enum(secretDerivations),
  walletsPerMonth: z.int().nullable(),
  createdAt: instant,
});

export function showProject({ projectId, createdAtMs, ...view }: ProjectView): z.input<typeof projectSchema> {
  return { id: projectId, ...view, createdAt: iso(createdAtMs) };
}

export const fundSchema = z.object({
  id: fund.idSchema,
  projectId: project.idSchema,
  name: z.string(),
  network: suiNetworkSchema,
  balance: mist,
  inFlight: mist.describe("withheld for sponsorships that can still be executed"),
  depositAddress: z.string().nullable(),
  paused: z.boolean(),
  pausedCause: z.string().nullable(),
  createdAt: instant,
});

export function showFund(view: FundView): z.input<typeof fundSchema> {
  return {
    id: view.fundId,
    projectId: view.projectId,
    name: view.name,
    network: view.network,
    balance: view.balanceMist.toString(),
    inFlight: view.inFlightMist.toString(),
    depositAddress: view.depositAddress,
    paused: view.pausedCause !== null,
    pausedCause: view.pausedCause,
    createdAt: iso(view.createdAtMs),
  };
}

export const keySchema = z.object({
  id: key.idSchema,
  projectId: project.idSchema,
  name: z.string(),
  network: networkSchema,
  rights: z.array(z.enum(rights)).readonly(),
  fundId: fund.idSchema.nullable(),
  limits: limitsSchema,
  status: z.enum(keyStatuses),
  createdAt: instant,
});

export function showKey({ keyId, createdAtMs, ...view }: AccessKeyView): z.input<typeof keySchema> {
  return { id: keyId, ...view, createdAt: iso(createdAtMs) };
}

export const sponsorshipSchema = z.object({
  digest: z.string(),
  state: z.enum(sponsorshipStates),
  sender: z.string(),
  keyId: key.idSchema,
  gasBudget: mist,
  charged: mist.nullable().describe("null until the chain has charged it"),
  createdAt: instant,
  expiresAt: instant,
});

export function showSponsorship(view: SponsorshipView): z.input<typeof sponsorshipSchema> {
  return {
    digest: view.digest,
    state: view.state,
    sender: view.sender,
    keyId: view.keyId,
    gasBudget: view.gasBudgetMist.toString(),
    charged: view.chargedMist?.toString() ?? null,
    createdAt: iso(view.createdAtMs),
    expiresAt: iso(view.expiresAtMs),
  };
}
