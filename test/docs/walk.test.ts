import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../shared/cli/root.ts";
import { readPage, section } from "./pages.ts";
import { stepsOf, walkFindings } from "./walk.ts";

test("a request goes from HTTP to the fund's signature by the files that the page lists, and enters each folder once", async () => {
  const list = section(await readPage("CONTRIBUTING.md"), "From a request to a signature");
  const steps = stepsOf(list);
  expect(steps.length).toBe([...list.matchAll(/^\d+\. /gm)].length);
  expect(steps[0]?.file).toBe("functions/index.ts");
  expect(steps.map(({ file }) => file)).toContain("functions/service/sui-gas/gas_sponsorTransactionBlock.ts");
  expect(steps.at(-1)).toEqual({ file: "shared/crypto/signer.ts", name: "Signer" });
  expect(walkFindings(steps, (path) => readFileSync(join(root, path), "utf8"))).toEqual([]);
});

describe("a walk is refused", () => {
  const files: Readonly<Record<string, string>> = {
    "a/index.ts": 'import { b } from "../b/b.ts";\nexport { Thing } from "../c/object.ts";\nb();\n',
    "b/b.ts": "export const b = (env: Env) => env.THING.get();\n",
    "c/object.ts":
      'import type { D } from "../d/d.ts";\nimport { unused } from "../a/e.ts";\nexport class Thing implements D {}\n',
    "d/d.ts": 'import { e } from "../a/e.ts";\nexport interface D { e: typeof e }\n',
    "a/e.ts": "export const e = 1;\nexport const unused = 2;\n",
    "wrangler.toml": '[[durable_objects.bindings]]\nname = "THING"\nclass_name = "Thing"\n',
  };
  const findings = (list: string, changed: Readonly<Record<string, string>> = {}) =>
    walkFindings(stepsOf(list), (path) => changed[path] ?? files[path] ?? "");
  const walk = "1. `a/index.ts`: x\n2. `b/b.ts`, `b`: x\n3. `c/object.ts`, `Thing`: x\n4. `d/d.ts`, `D`: x\n";

  test("not if each file uses an export of the next, or calls it through its binding", () => {
    expect(findings(walk)).toEqual([]);
  });

  test("if a file does not use what it imports, or imports nothing of the next", () => {
    expect(findings("1. `c/object.ts`: x\n2. `a/e.ts`, `unused`: x\n")).toEqual([
      "c/object.ts does not go to unused of a/e.ts",
    ]);
    expect(findings("1. `a/index.ts`: x\n2. `d/d.ts`, `D`: x\n")).toEqual(["a/index.ts does not go to D of d/d.ts"]);
    expect(findings("1. `a/index.ts`: x\n2. `b/b.ts`: x\n")).toEqual(["b/b.ts names no export"]);
  });

  test("if the object is not bound, not exported, or not called", () => {
    const broken = ["b/b.ts does not go to Thing of c/object.ts"];
    expect(findings(walk, { "wrangler.toml": "\n" })).toEqual(broken);
    expect(findings(walk, { "a/index.ts": 'import { b } from "../b/b.ts";\nb();\n' })).toEqual(broken);
    expect(findings(walk, { "b/b.ts": "export const b = () => 1;\n" })).toEqual(broken);
  });

  test("if it enters a folder again", () => {
    expect(findings(`${walk}5. \`a/e.ts\`, \`e\`: x\n`)).toEqual(["the walk enters a again"]);
  });
});
