import * as z from "zod";
import type { EventType } from "../observe/events.ts";

/**
 * The message of an event for the incoming hook of a chat service: `{"text": …}`, as Slack, Mattermost, Rocket.Chat,
 * Google Chat, Zulip and (behind `/slack`) Discord take it.
 */

type Fields = Readonly<Record<string, string>>;

const of = ({ fundId, network }: Fields) => `Fund ${fundId} (${network})`;
const wallet = ({ walletId, chain }: Fields) => `wallet "${walletId}" (${chain})`;

/** One sentence for each event. */
const SENTENCES: Readonly<Record<EventType, (data: Fields) => string>> = {
  "fund.low_balance": (data) => `${of(data)} is low: ${data.available} available, below ${data.lowBalance}.`,
  "fund.balance_recovered": (data) => `${of(data)} has enough money again: ${data.available} available.`,
  "fund.storage_high": (data) => `${of(data)} has used ${data.usedBytes} of ${data.budgetBytes} bytes of its storage.`,
  "fund.storage_recovered": (data) => `${of(data)} has enough storage again.`,
  "project.storage_high": (data) =>
    `The project has used ${data.usedBytes} of ${data.budgetBytes} bytes of its storage.`,
  "project.storage_recovered": () => "The project has enough storage again.",
  "fund.paused": (data) => `${of(data)} has stopped sponsoring: ${data.cause}.`,
  "fund.unresolvable": (data) => `${of(data)} cannot find out how ${data.digest} has ended.`,
  "fund.conversion_refused": (data) => `${of(data)} could not convert ${data.unconverted}: ${data.cause}.`,
  "fund.deposit": (data) => `${of(data)} has received ${data.amount}, and has ${data.balance} now.`,
  "sponsorship.completed": (data) => `${of(data)} has paid ${data.charged} for ${data.digest} of ${data.sender}.`,
  "sponsorship.expired": (data) =>
    `${of(data)} has sponsored ${data.digest} of ${data.sender}, and nobody executed it.`,
  "wallet.created": (data) => `There is a new ${wallet(data)}: ${data.address}.`,
  "wallet.initialized": (data) => `The ${wallet(data)} is on chain: ${data.address}.`,
  "wallet.missing_record": (data) => `The record of the ${wallet(data)} is missing: ${data.address}.`,
  "key.disabled": (data) => `The access key ${data.keyId} "${data.name}" (${data.network}) is disabled.`,
  "quota.reached": (data) => `A new wallet was refused: ${data.walletsPerMonth} were made in ${data.month}.`,
  "security.secret_mismatch": (data) =>
    `${data.inARow} wrong secrets in a row for the ${wallet(data)}, by ${data.keyId}.`,
  "security.admin_token_refused": (data) => `Ten wrong operator tokens came from "${data.source}".`,
  "security.service_secret_mismatch": (data) =>
    `The secret ${data.secret} differs from the one that was used first as version ${data.version}.`,
  "node.unhealthy": (data) => `The node ${data.endpoint} (${data.network}) is unhealthy: ${data.cause}.`,
  "node.newer_protocol": (data) => `${data.network} is newer than this build: protocol ${data.protocolVersion}.`,
  "node.recovered": (data) => `The node ${data.endpoint} (${data.network}) answers well again.`,
};

const MAX_VALUE_CHARACTERS = 200;
const BREAK = "\u200b";

/**
 * Makes a value inert, because strangers choose some of them. No chat service reads a mention, a link, markup or a new
 * line in the result, and no value ends the quotes around it. Wide forms of characters become the usual ones first,
 * because some services read both as the same.
 */
function inert(value: unknown): string {
  return String(value)
    .slice(0, MAX_VALUE_CHARACTERS)
    .normalize("NFKC")
    .slice(0, MAX_VALUE_CHARACTERS)
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu, " ")
    .replace(/[<>[\]()&|`*~\\$"]/g, "'")
    .replace(/(?<![a-z0-9])_|_(?![a-z0-9])/gi, "'")
    .replaceAll("@", `@${BREAK}`)
    .replaceAll("#", `#${BREAK}`)
    .replaceAll(":", `:${BREAK}`)
    .replaceAll("/", `/${BREAK}`)
    .replace(/[.\u3002](?=\S)/g, `.${BREAK}`);
}

const messageSchema = z.looseObject({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/**
 * Returns the body of an event for a chat service.
 *
 * @param body the event's body as other webhooks get it.
 */
export function chatBody(body: string): string {
  const { type, data } = messageSchema.parse(JSON.parse(body));
  const named = Object.entries(data).map(([name, value]) => [name, inert(value)] as const);
  const fields: Fields = Object.fromEntries(named);
  const sentence = Object.hasOwn(SENTENCES, type) ? SENTENCES[type as EventType](fields) : `${inert(type)} happened.`;
  return JSON.stringify({ text: `Gasworks: ${sentence}` });
}
