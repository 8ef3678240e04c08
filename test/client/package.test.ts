import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import type { MethodContract } from "../../shared/api/contract.ts";
import { clientFindings } from "../../shared/cli/pack/findings.ts";
import { importsOf } from "../../shared/cli/pack/sources.ts";
import type { Call } from "../../shared/client/calls.ts";
import { aptosGasMethods, suiGasMethods } from "../../shared/client/gas-client.ts";
import * as inTree from "../../shared/client/index.ts";
import {
  aptosKeyMethods,
  aptosWalletMethods,
  deployedSuiKeyMethods,
  deployedSuiWalletMethods,
  suiWalletMethods,
  suiWalletV2Methods,
} from "../../shared/client/wallet-client.ts";
import { parseExactJson, stringifyJson } from "../../shared/rpc/json.ts";
import { decodeParams, encodeParams } from "../../shared/rpc/params.ts";
import { describeVariants, longTest, shortCases, shortTest } from "../support/rounds.ts";
import { clientPackage, unpack } from "./built-package.ts";

type Client = Readonly<Record<string, Call<unknown, unknown>>>;
type Create = (options: object) => Client;
const createSchema = z.record(
  z.string(),
  z.custom<Create>((value) => typeof value === "function"),
);

let directory: string;
let create: Readonly<Record<string, Create>>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gasworks-package-"));
  await unpack(await clientPackage(), directory);
  const exported: Readonly<Record<string, unknown>> = await import(join(directory, "index.js"));
  create = createSchema.parse(
    Object.fromEntries(Object.entries(exported).filter(([name]) => name.startsWith("create"))),
  );
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const CLIENTS = {
  createSuiGasClient: [suiGasMethods],
  createAptosGasClient: [aptosGasMethods],
  createSuiWalletClient: [suiWalletMethods],
  createSuiWalletV2Client: [suiWalletV2Methods],
  createDeployedSuiWalletClient: [deployedSuiKeyMethods, deployedSuiWalletMethods],
  createAptosWalletClient: [aptosKeyMethods, aptosWalletMethods],
} as const;

interface Case {
  readonly client: string;
  readonly name: string;
  readonly path: string;
  readonly contract: MethodContract;
}

const cases: readonly Case[] = Object.entries(CLIENTS).flatMap(([client, groups]) =>
  groups.flatMap(({ path, methods }) =>
    Object.entries<MethodContract>(methods).map(([name, contract]) => ({ client, name, path, contract })),
  ),
);

interface Sent {
  readonly url: string;
  readonly body: unknown;
}

/** A call of the package to a service that answers with this result, and what it sent. */
function callOf(
  { client, name }: Case,
  result: unknown,
): { readonly call: Call<unknown, unknown>; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (url: string, { body }: { readonly body: string }) => {
    sent.push({ url, body: JSON.parse(body) });
    return new Response(stringifyJson({ jsonrpc: "2.0", id: 1, result }));
  };
  const call = create[client]?.({ baseUrl: "https://service.test", accessKey: "key", fetch })[name];
  if (call === undefined) throw new Error(`the package has no ${client}.${name}`);
  return { call, sent };
}

function paramsOf(contract: MethodContract): Record<string, unknown> {
  const decoded = decodeParams(contract, contract.example.params);
  if (!decoded.ok) throw new Error(decoded.error.details);
  return decoded.value;
}

describeVariants(cases, 6, "$variant.client $variant.name", (one) => {
  const { contract, path } = one;
  const params = paramsOf(contract);

  test("sends what the contract encodes, and reads what it decodes", async () => {
    const { call, sent } = callOf(one, contract.example.result);
    const encoded = encodeParams(contract, params);
    if (!encoded.ok) throw new Error(encoded.error.details);
    const value = contract.result.parse(parseExactJson(stringifyJson(contract.example.result)));
    expect(await call(params)).toEqual({ ok: true, value });
    const body = { jsonrpc: "2.0", id: 1, method: contract.name, params: encoded.value };
    expect(sent).toEqual([{ url: `https://service.test${path}`, body }]);
  });

  test("refuses params of another type before it sends them", async () => {
    for (const name of Object.keys(params)) {
      const { call, sent } = callOf(one, contract.example.result);
      const reply = await call({ ...params, [name]: Symbol("another type") });
      expect(reply).toMatchObject({
        ok: false,
        error: { reason: "bad_params", details: expect.stringMatching(`^${name}: must be `) },
      });
      expect(sent).toEqual([]);
    }
  });

  test("reads a result whenever the contract does, and never one of another shape", async () => {
    await fc.assert(
      fc.asyncProperty(mutated(contract.example.result), async ({ result, isOtherShape }) => {
        const wire = stringifyJson(result);
        const read = contract.result.safeParse(parseExactJson(wire));
        const reply = await callOf(one, result).call(params);
        if (read.success) expect(reply, wire).toEqual({ ok: true, value: read.data });
        else if (isOtherShape) expect(reply, wire).toMatchObject({ ok: false, error: { kind: "bad_reply" } });
      }),
      { numRuns: 60 },
    );
  });
});

shortTest("the package has every client of this repository, and its methods", () => {
  const options = { baseUrl: "https://service.test", accessKey: "key" };
  const ours = Object.entries(inTree).filter(([name]) => name.startsWith("create"));
  expect(Object.keys(create).sort()).toEqual(ours.map(([name]) => name).sort());
  for (const [name, make] of Object.entries(createSchema.parse(Object.fromEntries(ours))))
    expect(Object.keys(create[name]?.(options) ?? {}).sort(), name).toEqual(Object.keys(make(options)).sort());
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return [path, ...inside.flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

const LEFT_OUT = Symbol("left out");

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  const entries = Object.entries(Object(value)).map(
    ([name, item]) => [name, name === key ? replaced(item, rest, by) : item] as const,
  );
  return Object.fromEntries(entries.filter(([, item]) => item !== LEFT_OUT));
}

/**
 * Results with one value in the place of another. A text that became another text may be refused by the contract alone:
 * the package leaves lengths and sums of digits to the service. Everything else is another shape.
 */
function mutated(result: unknown): fc.Arbitrary<{ readonly result: unknown; readonly isOtherShape: boolean }> {
  const others = fc.constantFrom<unknown>(LEFT_OUT, null, true, -1, 1.5, "", "other", [], {}, 2n ** 64n, 2n ** 63n, 0);
  return fc.tuple(fc.constantFrom(...pathsOf(result)), others).map(([path, by]) => {
    const at = path.length === 0 && by === LEFT_OUT ? null : by;
    return { result: replaced(result, path, at), isOtherShape: typeof at !== "string" };
  });
}

shortTest("the package needs nothing, and declares nothing of the server", async () => {
  const { files } = await clientPackage();
  const manifest: unknown = JSON.parse(files.get("package.json") ?? "");
  for (const name of ["dependencies", "peerDependencies", "optionalDependencies", "scripts"])
    expect(manifest).not.toHaveProperty(name);
  const code = [...files].filter(([path]) => /\.(js|d\.ts)$/.test(path));
  for (const [path, text] of code) {
    expect(text, path).not.toMatch(/\bfrom\s*"[^."]/);
    expect(text, path).not.toMatch(/\b(?:Buffer|process\.env|DurableObject|Zod\w*)\b/);
  }
});

shortCases.each([
  ["../bytes.ts", "code of the server"],
  ["node:buffer", "a module of Node"],
  ["zod", "a package"],
  ["../../functions/policy.ts", "a function"],
])("a file of the client that imports %s, %s, ends the build", (path) => {
  expect(() => importsOf("shared/client/session.ts", `import type { Any } from "${path}";`)).toThrow(/must not import/);
  expect(importsOf("shared/client/session.ts", 'import type { Reply } from "./reply.ts";')).toEqual([
    "shared/client/reply.ts",
  ]);
});

longTest("a change of the public API and an entry that is too large are found", async () => {
  const built = await clientPackage();
  expect(await clientFindings(built)).toEqual([]);
  expect(built.api).toContain("getFund");
  const changed = { ...built, api: built.api.replace("getFund", "readFund"), gzipBytes: { index: 8_193 } };
  expect(await clientFindings(changed)).toEqual([
    "the entry index of the package has 8193 bytes in gzip: at most 8192 are allowed",
    expect.stringContaining("readFund"),
  ]);
});
