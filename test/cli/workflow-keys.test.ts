import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { alignWorkflowKeys, maySetKeyPolicy } from "../../shared/cli/workflow-keys.ts";
import { NO_CALLS } from "../../shared/policy/key-policy.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import { allowMoveCalls } from "../../shared/policy/rules.ts";

const ID = "0123456789abcdef0123";
const KEY = `us1_sui_testnet_01${ID}${"0".repeat(42)}`;
const PLAY = `0x${"ab".repeat(32)}::game::play`;
const MINT = `0x${"ab".repeat(32)}::game::mint`;
const rules: readonly Rule[] = [allowMoveCalls(["SUI_TESTNET"], [PLAY])];

/** What stands for the service that has made the key. */
let service: Server;
let url: string;
let allow: readonly string[] | null;
let deny: readonly string[] | null;
let tokens: (string | undefined)[];
let redirectTo: string | null;

beforeEach(async () => {
  allow = null;
  deny = null;
  tokens = [];
  redirectTo = null;
  service = createServer((incoming, response) => {
    tokens.push(incoming.headers.authorization);
    if (redirectTo !== null) {
      response.writeHead(307, { location: redirectTo }).end();
      return;
    }
    let text = "";
    incoming.on("data", (chunk) => {
      text += chunk;
    });
    incoming.on("end", () => {
      if (incoming.method === "PATCH") allow = patchSchema.parse(JSON.parse(text)).policy.moveTargets.allow;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ status: "active", policy: { moveTargets: { allow, deny } } }));
    });
  }).listen(0, LOOPBACK);
  await once(service, "listening");
  const address = service.address();
  url = `http://${LOOPBACK}:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterEach(() => {
  service.closeAllConnections();
  service.close();
});

// Nothing beside: a list that is denied stays.
const patchSchema = z.strictObject({
  policy: z.strictObject({ moveTargets: z.strictObject({ allow: z.array(z.string()).nullable() }) }),
});

async function align(
  more: { readonly vars?: Record<string, string>; readonly url?: string | null; readonly mayChange?: boolean } = {},
  of: readonly Rule[] = rules,
  tokenElsewhere?: string,
) {
  const told: string[] = [];
  const warned: string[] = [];
  const vars = { FLOWS_SUI_KEY: KEY, ADMIN_TOKEN: "own", ...more.vars };
  const isAligned = await alignWorkflowKeys(vars, more.url === undefined ? url : more.url, {
    rules: of,
    mayChange: more.mayChange ?? false,
    adminToken: tokenElsewhere,
    tell: (line) => void told.push(line),
    warn: (line) => void warned.push(line),
  });
  return { isAligned, told, warned };
}

test.each<[string, readonly string[] | null]>([
  ["the first time, from any call", null],
  ["that was closed by hand", [NO_CALLS]],
  ["that serves a back end too", [PLAY, MINT]],
])("a key is not changed without asking: %s", async (_, before) => {
  allow = before;
  const { told, warned, isAligned } = await align();
  expect(allow).toEqual(before);
  expect([told, isAligned]).toEqual([[], true]);
  expect(warned).toEqual([expect.stringMatching(/FLOWS_SUI_KEY .*stays as it is.* --set-key-policy changes it from /)]);
  expect(warned[0]).toContain(`to ${PLAY}`);
});

test("with the operator's word a key is changed, old and new are said, and what was denied by hand stays", async () => {
  allow = [MINT];
  deny = [PLAY];
  const { told, warned } = await align({ mayChange: true });
  expect([allow, deny, warned]).toEqual([[PLAY], [PLAY], []]);
  expect(told).toEqual([expect.stringContaining(`It was changed from ${MINT} to ${PLAY}.`)]);
  expect((await align({ mayChange: true })).told).toEqual([expect.stringContaining("allows, as before,")]);
});

test("the operator's word is the option or the variable, and nothing else", () => {
  expect([maySetKeyPolicy(true, {}), maySetKeyPolicy(undefined, { SET_KEY_POLICY: "1" })]).toEqual([true, true]);
  expect([maySetKeyPolicy(undefined, {}), maySetKeyPolicy(undefined, { SET_KEY_POLICY: "0" })]).toEqual([false, false]);
});

test("a policy that allows no call on the network of a key says so", async () => {
  expect((await align({ mayChange: true }, [])).told).toEqual([
    expect.stringContaining("nothing on SUI_TESTNET: no rule of functions/policy.ts allows a Move call there"),
  ]);
});

test("the deployment's own ADMIN_TOKEN goes to no other service", async () => {
  const vars = { FLOWS_BASE_URL: url };
  const without = await align({ vars, url: null });
  expect(tokens).toEqual([]);
  expect(without.warned).toEqual([expect.stringContaining("FLOWS_ADMIN_TOKEN in the environment")]);
  await align({ vars, url: null }, rules, "theirs");
  expect(tokens).toEqual(["Bearer theirs"]);
});

test.each(["http://example.com", "http://127.0.0.1.example.com", "ftp://127.0.0.1", "not an address"])(
  "no token goes to %s",
  async (elsewhere) => {
    const { warned } = await align({ vars: { FLOWS_BASE_URL: elsewhere } }, rules, "theirs");
    expect(warned).toEqual([expect.stringContaining(`an address with https, and not ${elsewhere}`)]);
  },
);

test("a token follows no redirection", async () => {
  redirectTo = `${url}/elsewhere`;
  const { isAligned, warned } = await align();
  expect([isAligned, tokens.length]).toEqual([false, 1]);
  expect(warned).toEqual([expect.stringContaining("could not be compared")]);
});

test("where nobody can compare a key, what it must allow is said as a warning", async () => {
  const { warned, told } = await align({ url: null });
  expect(told).toEqual([]);
  expect(warned).toEqual([expect.stringMatching(/was not compared .* --url .* they are refused: /)]);
  expect(warned[0]).toContain(PLAY);
});
