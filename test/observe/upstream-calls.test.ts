import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../shared/cli/root.ts";

const SERVICE = "functions/service";
/** Each call below the operator's paths is counted by their middleware. */
const OPERATORS = "admin/";
/** Every member of `Deps` that calls a node or an indexer. */
const CALLS_A_NODE = /\b(?:deps\.(?:suiNode|aptosNode|functionSignatures)|nodeFetch)\b/;
/** A member without `deps.` before it could call a node unseen. */
const TAKEN_OUT = /\{[^}]*\b(?:suiNode|aptosNode|functionSignatures)\b[^}]*\} = /;
const COUNTS = /\b(?:countInto|deadline\.asking)\(/;

test("an interface counts each call to a node where it makes it, because no middleware does", async () => {
  const names = await readdir(join(root, SERVICE), { recursive: true });
  const files = names.filter((name) => name.endsWith(".ts") && !name.startsWith(OPERATORS));
  const texts = await Promise.all(files.map((name) => readFile(join(root, SERVICE, name), "utf8")));
  const calling = files.filter((_, index) => CALLS_A_NODE.test(texts[index] ?? ""));
  expect(calling.sort()).toEqual([
    "aptos-gas/gas_encodeAndSponsorTransaction.ts",
    "gateway/call-upstream.ts",
    "sui-wallet/svc_wal_executeGaslessTransactionBlock.ts",
  ]);
  for (const name of calling) expect([name, COUNTS.test(texts[files.indexOf(name)] ?? "")]).toEqual([name, true]);
  expect(files.filter((_, index) => TAKEN_OUT.test(texts[index] ?? ""))).toEqual([]);
});
