import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findNeedles } from "./search.ts";

const secret = randomBytes(32);
const text = `a "quoted" secret/${randomBytes(8).toString("hex")}`;
const needles = [
  { name: "bytes", bytes: secret },
  { name: "text", bytes: Buffer.from(text) },
];

function search(planted: string | Buffer): readonly string[] {
  const bytes = Buffer.concat([randomBytes(100), Buffer.from(planted), randomBytes(100)]);
  return findNeedles([{ name: "here", bytes }], needles);
}

const around = (before: number) => Buffer.concat([randomBytes(before), secret, randomBytes(5)]);

describe("a search finds what was written down", () => {
  test.each<[string, string | Buffer]>([
    ["raw", secret],
    ["in hex", secret.toString("hex")],
    ["in upper-case hex", secret.toString("hex").toUpperCase()],
    ...[0, 1, 2, 3, 100].flatMap((before): [string, string][] => [
      [`in Base64, after ${before} bytes`, around(before).toString("base64")],
      [`in Base64url, after ${before} bytes`, around(before).toString("base64url")],
    ]),
    ["in Base64 alone", secret.toString("base64")],
    ["as a JSON array", JSON.stringify([...secret])],
    ["as a JSON array for people", `[${[...secret].join(", ")}]`],
    ["as a typed array in JSON", JSON.stringify(new Uint8Array(secret))],
    ["as a Node buffer in JSON", JSON.stringify(secret)],
    ["its first half", secret.subarray(0, 16)],
    ["its second half in hex", secret.subarray(16).toString("hex")],
  ])("%s", (_, planted) => {
    expect(search(planted)).toEqual(["bytes in here"]);
  });

  test.each<[string, string]>([
    ["as text", text],
    ["in JSON", JSON.stringify({ secret: text })],
    ["in a URL", `https://service.example/?secret=${encodeURIComponent(text)}`],
    ["in Base64", Buffer.from(`secret: ${text}.`).toString("base64")],
  ])("%s", (_, planted) => {
    expect(search(planted)).toEqual(["text in here"]);
  });

  test("and nothing where nothing is", () => {
    expect(search(randomBytes(1_000).toString("base64"))).toEqual([]);
  });
});
