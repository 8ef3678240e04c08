import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { type EventType, eventSchemas, eventTypes } from "../../shared/observe/events.ts";
import { clearFaults } from "../support/sui-chain.ts";
import { until } from "../support/sui-fund.ts";
import { accept, Receivers } from "../support/webhook-receivers.ts";
import { newWebhook, runAlarm, statesOf, type TestWebhook, useReceivers, verified } from "../support/webhooks.ts";
import type { Told } from "./causes/cause.ts";
import { FUND_CAUSES } from "./causes/funds.ts";
import { SERVICE_CAUSES } from "./causes/service.ts";
import { WALLET_CAUSES } from "./causes/wallets.ts";

const CAUSES = [...FUND_CAUSES, ...WALLET_CAUSES, ...SERVICE_CAUSES];
const [HOST, CHAT_HOST] = ["hooks.example.com", "chat.example.com"];
const SENTENCE = /^Gasworks: [A-Z0-9].*\.$/;

const chatSchema = z.strictObject({ text: z.string().regex(SENTENCE) });
const messageSchema = z.object({ type: z.enum(eventTypes), timestamp: z.iso.datetime(), data: z.unknown() });

const receivers = useReceivers();
afterEach(clearFaults);

/** A receiver and a chat of one project. They verify what they get when it comes. */
class Hearing {
  readonly messages: unknown[] = [];
  readonly ids: (string | undefined)[] = [];
  readonly sentences: unknown[] = [];
  #hooks: readonly [standard: TestWebhook, chat: TestWebhook] | null = null;

  async begin(projectId: string, types: readonly EventType[]): Promise<void> {
    this.#hooks = [
      await newWebhook(projectId, `https://${HOST}/`, types),
      await newWebhook(projectId, `https://${CHAT_HOST}/`, types, "chat"),
    ];
  }

  listenAt(receivers: Receivers): void {
    receivers.at(HOST, (received, signal) => {
      this.messages.push(verified(this.#both[0], received));
      this.ids.push(received.headers["webhook-id"]);
      return accept(received, signal);
    });
    receivers.at(CHAT_HOST, (received, signal) => {
      this.sentences.push(verified(this.#both[1], received));
      return accept(received, signal);
    });
  }

  /** Waits until both have got so many events, and nothing waits for them. */
  async untilDelivered(count: number): Promise<void> {
    const [{ projectId }] = this.#both;
    await until(async () => {
      await runAlarm(projectId);
      const states = (await Promise.all(this.#both.map(statesOf))).flat();
      const isHeard = Math.min(this.messages.length, this.sentences.length) >= count;
      return isHeard && states.every((state) => state === "delivered");
    });
  }

  get #both(): readonly [standard: TestWebhook, chat: TestWebhook] {
    if (this.#hooks === null) throw new Error("nobody listens");
    return this.#hooks;
  }
}

/** Sorts by type. Events that fall due together come in no particular order. */
function sorted<Item extends Pick<Told, "type">>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => (a.type < b.type ? -1 : Number(a.type > b.type)));
}

test("each event of the contract has a cause here", () => {
  expect(CAUSES.flatMap(({ types }) => types).toSorted()).toEqual(eventTypes.toSorted());
});

test.each(CAUSES.map((cause) => [cause.types.join(", "), cause] as const))(
  "%s: its cause raises it, and a receiver and a chat get it once",
  async (_, { types, happen }) => {
    const heard = new Hearing();
    heard.listenAt(receivers());
    const expected = await happen((projectId) => heard.begin(projectId, types));
    // A cause may have altered the nodes' replies, and taken the receivers' place with that.
    heard.listenAt(new Receivers());
    await heard.untilDelivered(expected.length);
    const messages = heard.messages.map((message) => messageSchema.parse(message));
    for (const { type, data } of messages) expect(eventSchemas[type].parse(data)).toEqual(data);
    expect(sorted(messages)).toMatchObject(sorted(expected));
    expect(new Set(heard.ids).size).toBe(expected.length);
    expect(heard.sentences).toHaveLength(expected.length);
    for (const sentence of heard.sentences) chatSchema.parse(sentence);
  },
);
