import { expect, test } from "vitest";
import { inert, inertJson, inertLines } from "../../../../functions/service/admin/cli/terminal/inert.ts";
import { fitted, widthOf, wrapped } from "../../../../functions/service/admin/cli/terminal/width.ts";
import { fakeService, run } from "../../../support/command-line.ts";

/** Texts that move the cursor, clear the screen, set a title, swap digits, or hide themselves. */
const hostile: readonly string[] = [
  "\u001b[2J\u001b[H",
  "\u001b]0;title\u0007",
  "\u001b]52;c;cm0gLXJm\u0007",
  "\u001bP+q\u001b\\",
  "\u009b31m",
  "\r\nfund_00000000000000000000  paid",
  "a\bb\u007f",
  "\u0000",
  "\u202e321\u202c",
  "\u2066x\u2069",
  "\u200e\u200f\u061c",
  "\u2028\u2029",
  "\u200b\u200c\u200d\u2060\ufeff",
  "\u00ad",
  "\u3164\u115f",
  "\u{e0041}\u{e007f}",
  "\ud800",
  "\udfff",
  "\ufe0f",
];
const ACTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

test.each(hostile)("no part of %j reaches a terminal", (text) => {
  expect(inert(`a${text}b`)).not.toMatch(ACTIVE);
  expect(inert(`a${text}b`)).toMatch(/^a.*\\u\{.*b$/);
  expect(inertLines(text).replaceAll("\n", "")).not.toMatch(ACTIVE);
  const json = JSON.stringify({ name: text }, null, 2);
  expect(inertJson(json).replaceAll("\n", "")).not.toMatch(ACTIVE);
  expect(JSON.parse(inertJson(json))).toEqual({ name: text });
});

test("ordinary text of any script stays as it is", () => {
  for (const text of ["Gas für 京都", "e\u0301", "🚀", "a\u00a0b"]) expect(inert(text)).toBe(text);
});

test("a hostile name is inert in a table, in a record, in JSON, in a stream and in an error", async () => {
  const name = hostile.join("|");
  const id = `fund_${"0".repeat(20)}`;
  const item = { id, name, network: "SUI_LOCALNET", pausedCause: name };
  const { env } = await fakeService(({ url, headers }) => {
    if (url.includes("keys")) return { status: 422, body: { detail: name, errors: [{ path: "name", message: name }] } };
    if (headers.accept?.includes("ndjson")) return { body: `${JSON.stringify(item)}\n` };
    if (headers.accept?.includes("csv")) return { body: `"name"\r\n"${name}"\r\n` };
    if (url.endsWith("metrics")) return { body: name };
    return { body: url.endsWith(id) ? item : { items: [item], nextCursor: null, unreadable: [name] } };
  });
  const project = `prj_${"0".repeat(20)}`;
  const runs = [
    ["fund", "list", project],
    ["fund", "list", project, "--all"],
    ["fund", "list", project, "--json"],
    ["fund", "list", project, "--ndjson"],
    ["fund", "list", project, "--csv"],
    ["fund", "show", id],
    ["fund", "show", id, "--json"],
    ["key", "list", project],
    ["metrics"],
  ];
  for (const args of runs) {
    const { out, err } = await run(args, { env: { ...env, NO_COLOR: "1" }, isTerminal: true });
    expect([args, (out + err).replaceAll("\n", "").match(ACTIVE)]).toEqual([args, null]);
  }
});

test("a wide character takes two columns, and a mark none", () => {
  expect([widthOf("abc"), widthOf("京都"), widthOf("e\u0301"), widthOf("🚀")]).toEqual([3, 4, 1, 2]);
  expect([fitted("abcdef", 4), fitted("京都京都", 5), fitted("abc", 3)]).toEqual(["abc…", "京都…", "abc"]);
  expect(wrapped("one two three", 7)).toEqual(["one two", "three"]);
});
