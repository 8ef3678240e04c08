import { expect, test } from "vitest";
import * as z from "zod";
import { eventTypes } from "../../shared/observe/events.ts";
import { chatBody } from "../../shared/webhooks/chat.ts";

const textSchema = z.strictObject({ text: z.string() });

function textOf(type: string, data: object): string {
  return textSchema.parse(JSON.parse(chatBody(JSON.stringify({ type, timestamp: "2026-11-23T20:00:00Z", data })))).text;
}

/** Every field that an event may have. */
const FIELDS = [
  ...["fundId", "network", "available", "lowBalance", "usedBytes", "budgetBytes", "wallets", "auditRows", "cause"],
  ...["digest", "unconverted", "amount", "balance", "charged", "fee", "keyId", "sender", "expiresAt", "walletId"],
  ...["chain", "address", "name", "walletsPerMonth", "month", "inARow", "source", "secret", "version", "endpoint"],
  "lastGoodAt",
];

const full = (value: unknown) => Object.fromEntries(FIELDS.map((field) => [field, value]));

test.each(eventTypes)("%s is one sentence, with each of its values", (type) => {
  const text = textOf(type, full("value"));
  expect(text).toMatch(/^Gasworks: [A-Zv][^.]*\.$/);
  expect(text).not.toContain("undefined");
});

test("an event of a later build has a sentence, too", () => {
  expect(textOf("fund.later", {}).replaceAll("\u200b", "")).toBe("Gasworks: fund.later happened.");
  expect(textOf("constructor", {})).toBe("Gasworks: constructor happened.");
});

const HOSTILE = [
  ...["<!channel> <@U123> <https://evil.example|pay here>", "@everyone @here", "[click](https://evil.example/pay)"],
  ...["https://evil.example/a?b=c", "evil.example", "www.evil.example", "mailto:a@evil.example", "#general"],
  ...["`code` *bold* ~gone~ ||hidden||", "two\nlines\r\nand\u2028more", "\u202Etxt.exe", "a\u200b\u200d@here"],
  "&lt;!channel&gt;",
];

test.each(eventTypes)("no value of %s mentions, links, formats or breaks the line", (type) => {
  for (const hostile of HOSTILE) {
    const text = textOf(type, full(hostile));
    const said = text.slice("Gasworks: ".length);
    expect(said, hostile).not.toMatch(/[<>[\]&|`*~\\\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
    expect(said, "a mention or a channel").not.toMatch(/[@#][^\u200b]/);
    expect(said, "a scheme").not.toMatch(/:\/|\/\//);
    expect(said, "a host").not.toMatch(/\w\.\w/);
  }
});

test("a value has a bound, and JSON holds it whatever it is", () => {
  expect(textOf("key.disabled", full("x".repeat(100_000))).length).toBeLessThan(1_000);
  expect(textOf("key.disabled", full('","text":"other')).replaceAll("\u200b", "")).toContain('","text":"other');
  expect(textOf("wallet.created", full(null))).toContain("null");
});
