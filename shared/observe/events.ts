import * as z from "zod";
import { toHex } from "../bytes.ts";
import { checkedSecrets } from "../crypto/key-check.ts";
import { chains, networkSchema } from "../networks.ts";

const atoms = z.string().describe("MIST or octas, as a decimal string");
const signedAtoms = z.string().describe("MIST or octas, as a decimal string; may be negative");
const instant = z.iso.datetime();
const walletFields = { chain: z.enum(chains), walletId: z.string(), address: z.string() };
const fundFields = { fundId: z.string(), network: networkSchema };
const nodeFields = { network: networkSchema, endpoint: z.string().describe("the host of the endpoint's URL") };
const storageFields = { usedBytes: z.int(), budgetBytes: z.int().describe("limits.fundBytes of the fund") };
const projectStorageFields = {
  usedBytes: z.int(),
  budgetBytes: z.int(),
  wallets: z.int().describe("rows of the wallet index, which are kept for ever"),
  auditRows: z.int().describe("rows of the audit log, which are kept for ever"),
};
const sponsorshipFields = {
  ...fundFields,
  keyId: z.string(),
  digest: z.string().describe("the digest, on Aptos the hash. The fund's own id if none is known"),
  sender: z.string(),
};

/**
 * Every event that a project's webhooks can carry, with its `data` and the time when it is raised. A test compares the
 * table of shared/webhooks/README.md with this one. Events contain no secrets.
 */
export const eventSchemas = {
  "fund.low_balance": z
    .strictObject({ ...fundFields, available: signedAtoms, lowBalance: atoms })
    .describe("the available amount has fallen below the fund's lowBalance; once, until it has recovered"),
  "fund.balance_recovered": z
    .strictObject({ ...fundFields, available: signedAtoms, lowBalance: atoms.nullable() })
    .describe("after a low balance: 110 % of lowBalance is available, or the fund has none any more"),
  "fund.storage_high": z
    .strictObject({ ...fundFields, ...storageFields })
    .describe("the fund's storage has reached 70 % of limits.fundBytes; once, until it has recovered"),
  "fund.storage_recovered": z
    .strictObject({ ...fundFields, ...storageFields })
    .describe("after a high storage: it is below 60 % of limits.fundBytes"),
  "project.storage_high": z
    .strictObject(projectStorageFields)
    .describe("the project's storage has reached 70 % of its budget; once, until it has recovered"),
  "project.storage_recovered": z
    .strictObject(projectStorageFields)
    .describe("after a high storage: it is below 60 % of the budget"),
  "fund.paused": z
    .strictObject({
      ...fundFields,
      cause: z.string().describe("chain_reset, epoch_shorter_than_an_hour or state_behind_chain"),
    })
    .describe("the fund has stopped sponsoring by itself, because of what its nodes show; once a change"),
  "fund.unresolvable": z
    .strictObject({ ...fundFields, digest: z.string().describe("the hash, or the fund's own id if none is known") })
    .describe(
      "no node shows how a transaction has ended, its cost is in a correction, on Aptos in an adjustment; once a transaction",
    ),
  "fund.conversion_refused": z
    .strictObject({ ...fundFields, unconverted: atoms, cause: z.string().describe("for example a node's words") })
    .describe("three tries to convert money into the form that pays have failed; once a cause, at most once an hour"),
  "fund.deposit": z
    .strictObject({ ...fundFields, amount: atoms, balance: atoms })
    .describe("a deposit into the fund; deposits that are found together are one event"),
  "sponsorship.completed": z
    .strictObject({ ...sponsorshipFields, charged: signedAtoms, fee: atoms })
    .describe("the chain has executed a transaction that the fund paid for, successfully or not"),
  "sponsorship.expired": z
    .strictObject({ ...sponsorshipFields, expiresAt: instant })
    .describe("a signature that was handed out has expired, and the chain had not executed its transaction by then"),
  "wallet.created": z.strictObject(walletFields).describe("an embedded wallet exists, made or imported"),
  "wallet.initialized": z
    .strictObject({ ...walletFields, network: networkSchema })
    .describe("an embedded wallet's account is on chain, after its first transaction here; once a network"),
  "wallet.missing_record": z
    .strictObject(walletFields)
    .describe("the record of an existing wallet is missing, or has another address than this one; once a day"),
  "key.disabled": z
    .strictObject({ keyId: z.string(), name: z.string(), network: networkSchema })
    .describe("an access key is refused from now on"),
  "quota.reached": z
    .strictObject({ walletsPerMonth: z.int(), month: z.string().describe("for example 2026-11, UTC") })
    .describe("a new wallet was refused: the month's limit is reached; once a month and limit"),
  "security.secret_mismatch": z
    .strictObject({ chain: z.enum(chains), walletId: z.string(), keyId: z.string(), inARow: z.int() })
    .describe("wrong secrets for a wallet by one access key: the fifth in a row, and then each doubling"),
  "security.admin_token_refused": z
    .strictObject({ source: z.string().describe("the address that the platform names; empty if it names none") })
    .describe(
      "ten wrong tokens were sent to the operator's API from one source, and further ones are slowed; once an hour",
    ),
  "security.service_secret_mismatch": z
    .strictObject({ secret: z.enum(checkedSecrets), version: z.int() })
    .describe("a secret of the service differs from the one that was used first under its version; once a day"),
  "node.unhealthy": z
    .strictObject({
      ...nodeFields,
      cause: z.string().describe("for example: no answer in time"),
      lastGoodAt: instant.nullable(),
    })
    .describe(
      "an endpoint of a network in use has failed two checks in a row, or lags behind another; once, until it has recovered",
    ),
  "node.newer_protocol": z
    .strictObject({ ...nodeFields, protocolVersion: z.string() })
    .describe("a network's protocol is newer than this build; once"),
  "node.recovered": z.strictObject(nodeFields).describe("after an unhealthy endpoint: it has answered a check well"),
} as const;

/** The type of an event, as webhooks name it. */
export type EventType = keyof typeof eventSchemas;
/** The data of an event, by its type. */
export type EventData<Type extends EventType> = z.output<(typeof eventSchemas)[Type]>;

/** An event as raised by the object that owns the fact. */
export type RaisedEvent = { [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> } }[EventType];

const [firstType, ...otherTypes] = Object.keys(eventSchemas) as [EventType, ...EventType[]];
/** All types of events. */
export const eventTypes: readonly [EventType, ...EventType[]] = [firstType, ...otherTypes];
/** The schema of a type of events. */
export const eventTypeSchema = z.enum(eventTypes);

const EVENT_ID_BYTES = 10;
/** The form of an event's id: `evt_` and 20 hex digits. */
export const EVENT_ID = /^evt_[0-9a-f]{20}$/;

/** Returns the `webhook-id` of an event. It is the same for every endpoint and every attempt. */
export function newEventId(randomBytes: (length: number) => Uint8Array): string {
  return `evt_${toHex(randomBytes(EVENT_ID_BYTES))}`;
}

/**
 * Returns the exact body of a raised event. It is the same at every attempt (Standard Webhooks, "Payload structure").
 */
export function messageBody({ type, data }: RaisedEvent, atMs: number): string {
  return JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data: eventSchemas[type].parse(data) });
}

/** An event on its way from the object that owns the fact to the project. */
export interface OutboxEvent {
  /** Ascending in its source. With the source's name it is the operation id of its hand-over. */
  readonly seq: number;
  readonly id: string;
  readonly type: RaisedEvent["type"];
  readonly atMs: number;
  readonly body: string;
}

/** Events that an object hands to its project. */
export interface HandOver {
  /** Name of the object. */
  readonly source: string;
  readonly events: readonly OutboxEvent[];
  /** The number of events that the source has ever dropped. */
  readonly dropped: number;
}

/** An event of the whole service instead of one project. */
export type ServiceEvent = Extract<
  RaisedEvent,
  { readonly type: `security.${"service" | "admin"}_${string}` | `node.${string}` }
>;
