import { describe, expect, test } from "vitest";
import * as z from "zod";
import { apiContracts } from "../../shared/api/apis.ts";
import type { ApiContract, MethodContract, Right } from "../../shared/api/contract.ts";

/** Access keys for one interface. Made through the admin API, so that the suite knows nothing of how keys are built. */
export interface SecurityKeys {
  /** Active, of the interface's chain, with every right that its methods need and no rate limit that a test could meet. */
  readonly live: string;
  /** One more like it, of which nothing has been used up yet. */
  another(): Promise<string>;
  /** As `live`, but disabled. */
  readonly disabled: string;
  /** Active, of another chain. */
  readonly otherChain: string;
  /** Active, of the interface's chain, with other rights than this one. */
  without(right: Right): string;
}

export interface SecurityTarget {
  fetch(path: string, init: RequestInit): Promise<Response>;
  keys(service: Pick<ApiContract, "chain">): Promise<SecurityKeys>;
  /** Throws if anything that the suite was refused is held all the same: a coin, a budget, a row. */
  nothingIsHeld(): Promise<void>;
}

const OVERSIZED_BYTES = 1_048_576;
const ID = "security-7";

const answerSchema = z.object({
  jsonrpc: z.literal("2.0"),
  error: z.object({
    code: z.int(),
    message: z.string(),
    data: z.looseObject({ details: z.string(), reason: z.string() }),
  }),
  id: z.union([z.string(), z.null()]),
});

interface Expected {
  readonly status: number;
  readonly code: number;
  readonly reason: string;
  readonly id?: string | null;
}

const unauthorized = (reason: string): Expected => ({ status: 401, code: -32001, reason });
const notThisWay = (status: number, id: string | null = ID): Expected => ({
  status,
  code: -32600,
  reason: "invalid_request",
  id,
});
const badParams: Expected = { status: 200, code: -32602, reason: "bad_params" };

/** Every answer is checked for what none may have: a CORS header, and the key that was sent. */
async function refused(target: SecurityTarget, path: string, init: RequestInit, expected: Expected, key?: string) {
  const response = await target.fetch(path, init);
  const text = await response.text();
  expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  if (key !== undefined) expect(text + JSON.stringify([...response.headers])).not.toContain(key);
  const answer = answerSchema.parse(JSON.parse(text));
  expect({ status: response.status, code: answer.error.code, reason: answer.error.data.reason, id: answer.id }).toEqual(
    {
      id: ID,
      ...expected,
    },
  );
  return { response, answer };
}

function post(body: unknown, key: string | null, headers: Readonly<Record<string, string>> = {}) {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === null ? {} : { "x-api-key": key }), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

function callOf(contract: MethodContract, params: unknown = contract.example.params) {
  return { jsonrpc: "2.0", id: ID, method: contract.name, params };
}

/** Alters the last digit of a key. */
export const forge = (key: string) => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
const ofRegion = (key: string, region: string) => key.replace(/^[^_]+/, region);

function requiredNames(contract: MethodContract): readonly string[] {
  return Object.entries(contract.params.shape).flatMap(([name, schema]) =>
    schema instanceof z.ZodType && !schema.safeParse(undefined).success ? [name] : [],
  );
}

function methodSuite(
  ready: () => { target: SecurityTarget; keys: SecurityKeys },
  path: string,
  contract: MethodContract,
) {
  const call = callOf(contract);
  const withKey = (choose: (keys: SecurityKeys) => string, expected: Expected) => async () => {
    const { target, keys } = ready();
    const key = choose(keys);
    await refused(target, path, post(call, key), expected, key);
    await refused(target, `${path}/${key}`, post(call, null), expected, key);
  };
  const liveKey = async () => {
    const { keys } = ready();
    // Such calls have a rate of a few, which a refusal takes from, too.
    return contract.derivations !== undefined ? keys.another() : keys.live;
  };
  const withParams = async (params: unknown) => {
    const key = await liveKey();
    return (await refused(ready().target, path, post(callOf(contract, params), key), badParams)).answer.error.data
      .details;
  };

  test("without a key: bad_key", async () => {
    await refused(ready().target, path, post(call, null), unauthorized("bad_key"));
  });
  test(
    "with a forged key: bad_key",
    withKey((keys) => forge(keys.live), unauthorized("bad_key")),
  );
  test(
    "with a key relabelled to another network: bad_key",
    withKey((keys) => keys.live.replace(/_[a-z]+_[a-z]+_/, "_sui_mainnet_"), unauthorized("bad_key")),
  );
  test(
    "with a disabled key: bad_key",
    withKey((keys) => keys.disabled, unauthorized("bad_key")),
  );
  test(
    "with a key of another region: wrong_region",
    withKey((keys) => ofRegion(keys.live, "eu9"), unauthorized("wrong_region")),
  );
  test(
    "with a key of another chain: wrong_network",
    withKey((keys) => keys.otherChain, unauthorized("wrong_network")),
  );
  test.each(contract.rights)("with a key without the %s right: missing_right", async (right) => {
    await withKey((keys) => keys.without(right), unauthorized("missing_right"))();
  });
  test("with two different keys: bad_key", async () => {
    const { target, keys } = ready();
    await refused(target, `${path}/${keys.disabled}`, post(call, keys.live), unauthorized("bad_key"), keys.live);
  });

  test("from a browser: 403, whoever asks", async () => {
    const { target, keys } = ready();
    const browser: Expected = { status: 403, code: -32003, reason: "browser_origin" };
    await refused(target, path, post(call, keys.live, { origin: "https://app.example" }), browser);
    await refused(target, path, post(call, null, { origin: "null" }), browser);
  });
  test.each(["GET", "OPTIONS", "PUT", "DELETE"])("by %s: 405", async (method) => {
    const { target, keys } = ready();
    const { body, headers } = post(call, keys.live);
    const { response } =
      method === "PUT"
        ? await refused(target, path, { method, headers, body }, notThisWay(405))
        : await refused(target, path, { method, headers }, notThisWay(405, null));
    expect(response.headers.get("allow")).toBe("POST");
  });
  test("as another content type: 415", async () => {
    const { target, keys } = ready();
    await refused(target, path, post(call, keys.live, { "content-type": "text/plain" }), notThisWay(415));
  });
  test("in a body that is too long: 413", async () => {
    const { target, keys } = ready();
    const body = JSON.stringify(call) + " ".repeat(OVERSIZED_BYTES);
    await refused(target, path, post(body, keys.live), notThisWay(413, null));
  });
  test("in a body that is not JSON: a parse error, before the key is looked at", async () => {
    const { target } = ready();
    const body = JSON.stringify(call).slice(0, -1);
    await refused(target, path, post(body, null), { status: 200, code: -32700, reason: "parse_error", id: null });
  });

  test("with an idempotency key that is none: refused where one is honoured, ignored elsewhere", async () => {
    const { target } = ready();
    const tooMany = callOf(contract, [...Object.keys(contract.params.shape), "more"]);
    const expected = contract.idempotent ? notThisWay(200) : badParams;
    const key = await liveKey();
    for (const malformed of ["", "x".repeat(256), "\u00e9"])
      await refused(target, path, post(tooMany, key, { "idempotency-key": malformed }), expected);
    await refused(target, path, post(tooMany, key, { "idempotency-key": "x".repeat(255) }), badParams);
  });
  test("with an idempotency key and no access key: bad_key", async () => {
    await refused(ready().target, path, post(call, null, { "idempotency-key": "x" }), unauthorized("bad_key"));
  });

  test("with params of other types, by position and by name: bad_params that name the first", async () => {
    const names = Object.keys(contract.params.shape);
    for (const wrong of [{}, [], true, -1, "\u0000"]) {
      const first = contract.params.shape[names[0] ?? ""];
      // Some params are any text.
      if (!(first instanceof z.ZodType) || first.safeParse(wrong).success) continue;
      expect(await withParams(names.map(() => wrong))).toMatch(new RegExp(`^${names[0]}[.:]`));
      expect(await withParams(Object.fromEntries(names.map((name) => [name, wrong])))).toMatch(
        new RegExp(`^${names[0]}[.:]`),
      );
    }
  });
  test("with a required param missing, null or under another name: bad_params that name it", async () => {
    const names = Object.keys(contract.params.shape);
    const example = Object.fromEntries(names.map((name, index) => [name, contract.example.params[index]]));
    for (const name of requiredNames(contract)) {
      const { [name]: value, ...others } = example;
      expect(await withParams(others)).toContain(`${name}: is required`);
      expect(await withParams({ ...others, [name]: null })).toContain(`${name}: is required`);
      expect(await withParams({ ...others, [`${name}x`]: value })).toContain(`unknown parameter "${name}x"`);
    }
  });
  test("with a param too many: bad_params", async () => {
    const names = Object.keys(contract.params.shape);
    expect(await withParams([...names.map((_, index) => contract.example.params[index] ?? null), "more"])).toContain(
      names.length === 0 ? "takes no parameters" : `takes at most ${names.length}`,
    );
  });
}

/** Chooses the methods that are tried. */
type Choose = (methods: readonly MethodContract[]) => readonly MethodContract[];

function serviceSuite(service: ApiContract, made: () => Promise<SecurityTarget>, choose: Choose) {
  let state: { target: SecurityTarget; keys: SecurityKeys } | null = null;
  const ready = () => {
    if (state === null) throw new Error("the suite's keys were not made");
    return state;
  };
  const { path } = service;
  const discover = { jsonrpc: "2.0", id: ID, method: "rpc.discover" };

  test("keys are made", async () => {
    const target = await made();
    state = { target, keys: await target.keys(service) };
  });

  describe.each(choose(service.methods).map((contract) => [contract.name, contract] as const))(
    "%s",
    (_name, contract) => {
      methodSuite(ready, path, contract);
    },
  );

  test("unknown, forged and disabled keys look alike", async () => {
    const { target, keys } = ready();
    const answers = [keys.disabled, forge(keys.live), "us1_sui_testnet_nonsense"].map(async (key) => {
      const { answer } = await refused(target, path, post(discover, key), unauthorized("bad_key"), key);
      return answer;
    });
    const [first, ...others] = await Promise.all(answers);
    for (const other of others) expect(other).toEqual(first);
  });

  test("a refused batch gives one error for each member that has an id", async () => {
    const { target, keys } = ready();
    const calls = service.methods.map((contract, index) => ({ ...callOf(contract), id: index }));
    const notification = { jsonrpc: "2.0", method: "rpc.discover" };
    const response = await target.fetch(path, post([...calls, notification], keys.disabled));
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(
      calls.map(({ id }) => ({ jsonrpc: "2.0", id, error: expect.objectContaining({ code: -32001 }) })),
    );
  });

  test("a batch of more than one with an idempotency key is refused whole, before the key is looked at", async () => {
    const { target } = ready();
    const calls = [...service.methods, ...service.methods].map((contract, id) => ({ ...callOf(contract), id }));
    const discovers = [0, 1].map((id) => ({ ...discover, id }));
    for (const batch of [calls, discovers]) {
      const response = await target.fetch(path, post(batch, null, { "idempotency-key": "x" }));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(
        batch.map(({ id }) => ({ jsonrpc: "2.0", id, error: expect.objectContaining({ code: -32600 }) })),
      );
    }
  });

  test("rpc.discover answers any live key of the chain, and no other", async () => {
    const { target, keys } = ready();
    await refused(target, path, post(discover, null), unauthorized("bad_key"));
    await refused(target, path, post(discover, keys.otherChain), unauthorized("wrong_network"));
    const rights = new Set(service.methods.flatMap((contract) => contract.rights));
    for (const key of [keys.live, ...[...rights].map((right) => keys.without(right))]) {
      const response = await target.fetch(path, post(discover, key));
      expect(await response.json()).toMatchObject({ id: ID, result: { openrpc: "1.2.6" } });
    }
  });

  test.each([path.replace(/v\d$/, "v9"), path.replace(/v\d$/, "nowhere"), `${path}/key/more`])(
    "%s is 404, and a browser learns not even that",
    async (unknown) => {
      const { target, keys } = ready();
      await refused(target, unknown, post(discover, keys.live), notThisWay(404));
      const browser = { status: 403, code: -32003, reason: "browser_origin" };
      await refused(target, unknown, post(discover, keys.live, { origin: "null" }), browser);
    },
  );

  test("nothing that was refused is held", async () => {
    await ready().target.nothingIsHeld();
  });
}

/**
 * What every method of every interface refuses, generated from the contracts: a new method is covered by being one.
 * Call it at the top level of a test file.
 *
 * @param target made once for each interface, when its tests begin.
 * @param choose absent: all methods are tried.
 */
export function securitySuite(target: () => Promise<SecurityTarget>, choose: Choose = (methods) => methods): void {
  describe.each(apiContracts.map((service) => [service.name, service] as const))("%s", (_name, service) => {
    serviceSuite(service, target, choose);
  });
}
