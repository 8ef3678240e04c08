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
  ...["lastGoodAt", "protocolVersion"],
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
  ...["&lt;!channel&gt;", "\uff20everyone \uff1c!here\uff1e", "evil\uff0eexample evil\u3002example evil\uff61example"],
  ...["https\uff1a\uff0f\uff0fevil", "_gone_ __bold__ a__b", "$$x^2$$", 'x" is disabled. Fund "y'],
  ...["\u202e\u2066\ud83d", "@\u3164here @\ufe0fhere", `${"x".repeat(199)}\u{1f600}`, "\ufdfa".repeat(200)],
];

const quotesOf = (type: string) => textOf(type, full("value")).split('"').length - 1;

test.each(eventTypes)("no value of %s mentions, links, formats or breaks the line", (type) => {
  for (const hostile of HOSTILE) {
    const text = textOf(type, full(hostile));
    const said = text.slice("Gasworks: ".length);
    expect(said, hostile).not.toMatch(/[<>[\]&|`*~$\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202e]/u);
    expect(said, "a mention or a channel").not.toMatch(/[@#\uff20\uff03][^\u200b]/);
    expect(said, "a scheme").not.toMatch(/[:\uff1a][/\uff0f]|[/\uff0f]{2}/);
    expect(said, "a host").not.toMatch(/\w[.\u3002\uff0e\uff61]\w/);
    expect(said, "underlined").not.toMatch(/(^|[^a-z0-9])_|_([^a-z0-9]|$)/i);
    expect(said.split('"').length - 1, "the quotes of the sentence alone").toBe(quotesOf(type));
    expect(text.length).toBeLessThan(2_000);
  }
});

test("a value has a bound, and JSON holds it whatever it is", () => {
  expect(textOf("key.disabled", full("x".repeat(100_000))).length).toBeLessThan(1_000);
  expect(textOf("key.disabled", full('","text":"other')).replaceAll("\u200b", "")).toContain("','text':'other");
  expect(textOf("wallet.created", full(null))).toContain("null");
});
