import { describe, expect, test } from "vitest";
import * as z from "zod";
import { restContracts } from "../../shared/api/apis.ts";
import type { RestContract, RestOperation } from "../../shared/api/rest.ts";
import { forge, type SecurityKeys, type SecurityTarget } from "./suite.ts";

const OVERSIZED_BYTES = 1_048_576;
/** What every error shows, whatever shape its interface gives it. */
const MARK = { status: 0, code: "code-of-the-suite", message: "message-of-the-suite", data: {} };

type Fields = Readonly<Record<string, unknown>>;

/** The example's params by name, split into those of the path and those of the body. */
function exampleOf({ contract, path }: RestOperation): { readonly path: string; readonly body: Fields } {
  const names = Object.keys(contract.params.shape);
  const example = Object.fromEntries(contract.example.params.map((value, at) => [names[at] ?? "", value]));
  const inPath = path.split("/").flatMap((segment) => (segment.startsWith(":") ? [segment.slice(1)] : []));
  return {
    path: path.replaceAll(/:(\w+)/g, (_, name: string) => String(example[name])),
    body: Object.fromEntries(Object.entries(example).filter(([name]) => !inPath.includes(name))),
  };
}

/** Returns the code of an error, from the place where the interface's own shape puts it. */
function codeIn(contract: RestContract, body: unknown): unknown {
  const walk = (shape: unknown, value: unknown): unknown => {
    if (shape === MARK.code) return value;
    if (typeof shape !== "object" || shape === null || typeof value !== "object" || value === null) return undefined;
    for (const [name, part] of Object.entries(shape)) {
      const found = walk(part, Reflect.get(value, name));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(contract.errorBody(MARK), body);
}

function operationSuite(
  ready: () => { target: SecurityTarget; keys: SecurityKeys },
  contract: RestContract,
  operation: RestOperation,
) {
  const { path, body } = exampleOf(operation);
  const url = `${contract.path}${path}`;
  const method = operation.httpMethod;

  function sent(key: string | null, headers: Readonly<Record<string, string>> = {}, text?: string): RequestInit {
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    return {
      method,
      headers: { "content-type": "application/json", ...authorization, ...headers },
      ...(method === "POST" && { body: text ?? JSON.stringify(body) }),
    };
  }

  /** Every answer is checked for what none may have: a CORS header, and the key that was sent. */
  async function refused(status: number, code: string, init: RequestInit, key?: string, at = url) {
    const response = await ready().target.fetch(at, init);
    const text = await response.text();
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    if (key !== undefined) expect(text + JSON.stringify([...response.headers])).not.toContain(key);
    expect([response.status, codeIn(contract, JSON.parse(text))]).toEqual([status, code]);
    return response;
  }

  test.each([
    ["a forged key", 401, "bad_key", ({ live }: SecurityKeys) => forge(live)],
    [
      "a key relabelled to another network",
      401,
      "bad_key",
      ({ live }: SecurityKeys) => live.replace(/_[a-z]+_[a-z]+_/, "_sui_mainnet_"),
    ],
    ["a disabled key", 401, "bad_key", ({ disabled }: SecurityKeys) => disabled],
    ["a key of another region", 401, "wrong_region", ({ live }: SecurityKeys) => live.replace(/^[^_]+/, "eu9")],
    ["a key of another chain", 403, "wrong_network", ({ otherChain }: SecurityKeys) => otherChain],
  ] as const)("with %s: %i %s", async (_name, status, code, choose) => {
    const key = choose(ready().keys);
    await refused(status, code, sent(key), key);
    await refused(status, code, sent(null, { "x-api-key": key }), key);
  });
  test.each(operation.contract.rights)("with a key without the %s right: missing_right", async (right) => {
    const key = ready().keys.without(right);
    await refused(403, "missing_right", sent(key), key);
  });
  test("without a key, and with two different keys: bad_key", async () => {
    const { live, disabled } = ready().keys;
    await refused(401, "bad_key", sent(null));
    await refused(401, "bad_key", sent(live, { "x-api-key": disabled }), live);
  });
  test("with the key in the path: no such path", async () => {
    const { live } = ready().keys;
    const response = await ready().target.fetch(`${url}/${live}`, sent(null));
    expect(response.ok).toBe(false);
    expect(await response.text()).not.toContain(live);
  });

  test("from a browser: 403, whoever asks and by whatever method", async () => {
    const { live } = ready().keys;
    await refused(403, "browser_origin", sent(live, { origin: "https://app.example" }), live);
    await refused(403, "browser_origin", sent(null, { origin: "null" }));
    const preflight = { origin: "https://app.example", "access-control-request-method": method };
    await refused(403, "browser_origin", { method: "OPTIONS", headers: preflight });
    await refused(403, "browser_origin", sent(live, { origin: "null" }), live, `${contract.path}/nowhere`);
  });
  test("by another method: 405", async () => {
    const authorization = `Bearer ${ready().keys.live}`;
    for (const other of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const response = await refused(405, "bad_method", { method: other, headers: { authorization } });
      expect(response.headers.get("allow")).toBe(method);
    }
  });
  test("at another version or path: 404", async () => {
    const { live } = ready().keys;
    for (const path of [url.replace("/v1", "/v2"), `${url}/more/and/more`, `${contract.path}/nowhere`])
      await refused(404, "unknown_path", sent(live), live, path);
  });

  if (method === "POST") {
    test("as another content type, in a body that is too long, and in one that is no JSON object", async () => {
      const { live } = ready().keys;
      await refused(415, "bad_content_type", sent(live, { "content-type": "text/plain" }));
      await refused(413, "body_too_long", sent(live, {}, JSON.stringify(body) + " ".repeat(OVERSIZED_BYTES)));
      for (const text of [JSON.stringify(body).slice(0, -1), "[]", "null", '"x"', ""])
        await refused(400, "bad_body", sent(null, {}, text));
    });
    test("with a field of another type, a null or one that is not known: refused by its name", async () => {
      const { live } = ready().keys;
      for (const name of Object.keys(body)) {
        const schema = operation.contract.params.shape[name];
        for (const wrong of [{}, [], true, -1, "\u0000"]) {
          if (!(schema instanceof z.ZodType) || schema.safeParse(wrong).success) continue;
          await refused(400, "bad_params", sent(live, {}, JSON.stringify({ ...body, [name]: wrong })));
        }
        await refused(400, "bad_body", sent(live, {}, JSON.stringify({ ...body, [name]: null })));
      }
      await refused(400, "bad_params", sent(live, {}, JSON.stringify({ ...body, more: 1 })));
    });
    test("with an Idempotency-Key that is none", async () => {
      for (const malformed of ["", "x".repeat(256)])
        await refused(400, "invalid_request", sent(ready().keys.live, { "idempotency-key": malformed }));
    });
  }
}

/** What every operation of every REST interface refuses, generated from the contracts. Call it at the top level. */
export function restSecuritySuite(made: () => Promise<SecurityTarget>): void {
  describe.each(restContracts.map((contract) => [contract.name, contract] as const))("%s", (_name, contract) => {
    let state: { target: SecurityTarget; keys: SecurityKeys } | null = null;
    const ready = () => {
      if (state === null) throw new Error("the suite's keys were not made");
      return state;
    };

    test("keys are made", async () => {
      const target = await made();
      state = { target, keys: await target.keys(contract) };
    });
    describe.each(contract.operations.map((one) => [one.contract.name, one] as const))(
      "%s",
      (_operation, operation) => {
        operationSuite(ready, contract, operation);
      },
    );
    test("unknown, forged and disabled keys look alike", async () => {
      const { target, keys } = ready();
      const [operation] = contract.operations;
      const init = (key: string) => ({
        method: operation?.httpMethod ?? "GET",
        headers: { authorization: `Bearer ${key}` },
      });
      const path = `${contract.path}${operation?.path}`;
      const asked = [keys.disabled, forge(keys.live), "us1_sui_testnet_nonsense"].map(async (key) =>
        (await target.fetch(path, init(key))).text(),
      );
      const [first, ...others] = await Promise.all(asked);
      for (const other of others) expect(other).toEqual(first);
    });
    test("nothing that was refused is held", async () => {
      await ready().target.nothingIsHeld();
    });
  });
}
