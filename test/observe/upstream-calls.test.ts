import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countsUpstreamItself } from "../../functions/service/app.ts";
import { root } from "../../shared/cli/root.ts";

const INTERFACE = "functions/service/sui-gas";
const CALLS = ["functions/service/calls/fund.ts", "functions/service/calls/sui-fund.ts"];
/** Every member of `Deps` that calls a node or an indexer. */
const CALLS_A_NODE = /\b(suiNode|aptosNode|nodeFetch|functionSignatures)\b/;

test("an interface that counts its calls to nodes itself makes none at the edge, where nobody would count them", async () => {
  const own = (await readdir(join(root, INTERFACE))).filter((name) => name.endsWith(".ts"));
  const files = [...own.map((name) => join(INTERFACE, name)), ...CALLS];
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  expect(files.filter((_, index) => CALLS_A_NODE.test(texts[index] ?? ""))).toEqual([]);
});

test.each([
  ["/sui/gas/v1", true],
  ["/sui/gas/v1/us1_sui_localnet_key", true],
  ["/sui/gas/v2", false],
  ["/aptos/gas/v1", false],
  ["/sui/wallet/v2", false],
  ["/enoki/v1/app", false],
  ["/admin/v1/funds", false],
])("the path %s counts its calls to nodes itself: %s", (path, itself) => {
  expect(countsUpstreamItself(path)).toBe(itself);
});
