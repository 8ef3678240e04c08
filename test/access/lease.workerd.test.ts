import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createServiceApp } from "../../functions/service/app.ts";
import { hashKeySecret, issueAccessKey } from "../../shared/access/key-format.ts";
import type { AdmissionRequest } from "../../shared/access/record.ts";
import type { NewAccessKey } from "../../shared/bindings/access-key.ts";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import type { Env } from "../../shared/bindings/env.ts";
import type { LogFields } from "../../shared/bindings/ports.ts";
import { type AppEnv, requestLog } from "../../shared/http/app.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { sleep } from "../../shared/timing.ts";
import { longTest, shortTest, variants } from "../support/rounds.ts";
import { newFund } from "../support/sui-fund.ts";

const bindings: Env = env;
const deps = createDeps(env);
const secret = new Uint8Array(16).fill(7);
const secretHash = hashKeySecret(secret);
let keys = 0;
let fundId = "";

interface Key {
  readonly keyId: string;
  readonly text: string;
}

function textOf(keyId: string, ofSecret = secret): string {
  const given = { region: deps.config.region, network: "SUI_LOCALNET", keyId, secret: ofSecret } as const;
  return issueAccessKey(given, serviceSecrets(deps).keyPeppers);
}

async function newKey(changes: Partial<NewAccessKey> = {}): Promise<Key> {
  keys += 1;
  const keyId = `key_${keys.toString(16).padStart(20, "0")}`;
  await bindings.ACCESS_KEY.getByName(keyId).create({
    keyId,
    projectId: "prj_000000000000000000d1",
    name: "app",
    network: "SUI_LOCALNET",
    rights: ["wallet", "gas"],
    fundId,
    limits: { qps: 1_000, cups: 1_000, sessionsPerSecond: 1 },
    policy: defaultKeyPolicy("sui"),
    secretHash,
    ...changes,
  });
  return { keyId, text: textOf(keyId) };
}

const ofGas: AdmissionRequest = { secretHash, chain: "sui", calls: [["gas"]] };
const ofWallet: AdmissionRequest = { secretHash, chain: "sui", calls: [["wallet"]] };

/** The outcome of one call that the fund admits. Null if the access key has to. */
async function atFund({ keyId }: Key, request = ofGas): Promise<string | null> {
  const input = { keyId, request, arrivedAtMs: deps.clock.nowMs(), call: null };
  const { admission } = await bindings.FUND.getByName(fundId).admitAndCall(input);
  if (admission === null) return null;
  if (!admission.ok) return admission.error.reason;
  return admission.value.ok ? "admitted" : admission.value.error.reason;
}

/** The outcome of one call that the access key admits. `leased` if it names the fund. */
async function atKey({ keyId }: Key, request = ofWallet): Promise<string> {
  const admitted = await bindings.ACCESS_KEY.getByName(keyId).admit(request);
  if (!admitted.ok) return admitted.error.reason;
  if (admitted.value.isLeased) return "leased";
  const [verdict] = admitted.value.calls;
  if (verdict === undefined) throw new Error("no verdict");
  return verdict.ok ? "admitted" : verdict.error.reason;
}

/** As the edge does it: first the fund, and the access key if that has to admit. */
async function eitherWay(key: Key): Promise<string> {
  return (await atFund(key)) ?? atKey(key, ofGas);
}

beforeEach(async () => {
  fundId = (await newFund()).id;
});

describe("the lease of a key", () => {
  shortTest("lets the fund admit, until the key admits by itself; then it is not leased for a time", async () => {
    const key = await newKey();
    expect(await atFund(key)).toBe("admitted");
    expect(await atKey(key, { ...ofGas, fundMayAdmit: true })).toBe("leased");
    expect(await atKey(key)).toBe("admitted");
    expect(await atFund(key)).toBeNull();
    expect(await atKey(key, { ...ofGas, fundMayAdmit: true })).toBe("admitted");
  });

  shortTest("goes to the key's own fund only, and not to a disabled key or one without the right", async () => {
    const other = (await newFund()).id;
    const key = await newKey();
    const request = (id: string) => bindings.ACCESS_KEY.getByName(key.keyId).lease({ fundId: id, heldLeaseId: null });
    expect(await request(other)).toMatchObject({ lease: null });
    expect(await request(fundId)).toMatchObject({ lease: { record: { keyId: key.keyId } } });
    const object = bindings.ACCESS_KEY.getByName(key.keyId);
    await object.update({ rights: ["wallet"] });
    expect(await request(fundId)).toMatchObject({ lease: null });
    await object.update({ rights: ["gas"], status: "disabled" });
    expect(await request(fundId)).toMatchObject({ lease: null });
    await object.update({ status: "active" });
    expect(await request(fundId)).toMatchObject({ lease: { record: { status: "active" } } });
  });

  shortTest(
    "does not keep a closed key or fund working, and shows nobody without the secret where it went",
    async () => {
      const key = await newKey();
      const terms = { transferId: "trf_00000000000000000001", destination: "https://other.test" };
      expect(await atFund(key)).toBe("admitted");
      await bindings.ACCESS_KEY.getByName(key.keyId).closeForTransfer(terms);
      expect(await atFund(key)).toBeNull();
      const another = await newKey();
      expect(await atFund(another)).toBe("admitted");
      await bindings.FUND.getByName(fundId).closeForTransfer(terms);
      expect(await atFund(another)).toBeNull();
      expect(await atFund(another, { ...ofGas, secretHash: new Uint8Array(32) })).toBeNull();
    },
  );
});

shortTest("a request that the fund could not begin in time is refused after its token is taken", async () => {
  const key = await newKey({ limits: { qps: 1, cups: 1_000, sessionsPerSecond: 1 } });
  const input = { keyId: key.keyId, request: ofGas, call: null };
  const late = { ...input, arrivedAtMs: deps.clock.nowMs() - 10_000 };
  const outcomes: (string | null)[] = [];
  for (let calls = 0; calls < 5; calls++) {
    const { admission } = await bindings.FUND.getByName(fundId).admitAndCall(late);
    outcomes.push(admission === null || admission.ok ? null : admission.error.reason);
  }
  expect(outcomes).toEqual(Array(5).fill("overloaded"));
  expect(await atFund(key)).toBe("rate_limited");
});

describe("a change of a key holds from the next call on both ways", () => {
  /** The answers that the callers have between two events. */
  const ANSWERS = 50;
  /** The runtime evicts no object that has a call under way, so the callers wait for this one. */
  let eviction: Promise<unknown> = Promise.resolve();

  function evict(object: Parameters<typeof evictDurableObject>[0]): Promise<void> {
    const evicted = evictDurableObject(object);
    eviction = evicted.catch(() => {});
    return evicted;
  }

  const crashes: readonly (readonly [string, (key: Key) => Promise<unknown>])[] = [
    ["nothing is lost", async () => {}],
    ["the fund is evicted", () => evict(env.FUND.getByName(fundId))],
    ["the key is evicted", ({ keyId }) => evict(env.ACCESS_KEY.getByName(keyId))],
    ["all objects crash", () => abortAllDurableObjects()],
  ];

  test.each(variants(crashes, 4))("under load, while %s", async (_, crash) => {
    const key = await newKey();
    let changed = false;
    let answered = 0;
    let admittedAfter = 0;
    let admittedBefore = 0;
    let ended = false;
    const caller = async (call: () => Promise<string | null>) => {
      while (!ended) {
        const wasChanged = changed;
        const outcome = await call().catch(() => "fault");
        if (outcome !== "fault" && outcome !== null) answered += 1;
        if (outcome === "admitted" && wasChanged) admittedAfter += 1;
        if (outcome === "admitted" && !wasChanged) admittedBefore += 1;
        await sleep(0);
        await eviction;
      }
    };
    /** Waits until the callers have had more answers, also on a machine that pauses. */
    const load = async () => {
      const goal = answered + ANSWERS;
      await vi.waitUntil(() => answered >= goal, { timeout: 60_000 });
    };
    const callers = [1, 2, 3, 4].map(() => caller(() => eitherWay(key)));
    callers.push(caller(() => atFund(key)));
    await load();
    await crash(key);
    await load();
    for (;;) {
      try {
        await bindings.ACCESS_KEY.getByName(key.keyId).update({ status: "disabled" });
        break;
      } catch {
        // The operator repeats a change that a crash has interrupted.
      }
    }
    changed = true;
    await load();
    await crash(key);
    await load();
    ended = true;
    await Promise.all(callers);
    expect(admittedBefore).toBeGreaterThan(0);
    expect(admittedAfter).toBe(0);
  });

  longTest("the lease that an evicted key has granted is recalled from its stored row", async () => {
    const key = await newKey();
    expect(await atFund(key)).toBe("admitted");
    expect(await atFund(key)).toBe("admitted");
    await evictDurableObject(env.ACCESS_KEY.getByName(key.keyId));
    await bindings.ACCESS_KEY.getByName(key.keyId).update({ status: "disabled" });
    expect(await atFund(key)).toBeNull();
  });

  shortTest("a new limit, a right that is taken and one that is given back", async () => {
    const key = await newKey();
    const object = bindings.ACCESS_KEY.getByName(key.keyId);
    expect(await atFund(key)).toBe("admitted");
    await object.update({ rights: ["wallet"] });
    expect(await eitherWay(key)).toBe("missing_right");
    await object.update({ rights: ["gas"] });
    expect(await eitherWay(key)).toBe("admitted");
    await object.update({ limits: { qps: 1, cups: 1 } });
    const outcomes: string[] = [];
    for (let call = 0; call < 10; call++) outcomes.push(await eitherWay(key));
    expect(outcomes).toContain("rate_limited");
  });
});

shortTest("both ways together never exceed the rate of a key", async () => {
  const qps = 20;
  const key = await newKey({ limits: { qps, cups: 1_000, sessionsPerSecond: 1 } });
  const beganAtMs = performance.now();
  let admitted = 0;
  const count = async (outcome: Promise<string | null>) => {
    if ((await outcome) === "admitted") admitted += 1;
  };
  for (let round = 0; round < 30; round++)
    await Promise.all([atFund(key), atKey(key), atFund(key), eitherWay(key), atKey(key)].map(count));
  const seconds = (performance.now() - beganAtMs) / 1_000;
  expect(admitted).toBeGreaterThanOrEqual(qps);
  expect(admitted).toBeLessThanOrEqual(qps + qps * seconds + 1);
});

describe("the edge", () => {
  const lines: (Omit<LogFields, "event"> & { event: string })[] = [];
  let keyCalls = 0;
  const counting: Env = {
    ...bindings,
    ACCESS_KEY: {
      getByName: (name) => {
        keyCalls += 1;
        return bindings.ACCESS_KEY.getByName(name);
      },
    },
  };

  function newApp() {
    const own = { ...deps, log: (event: string, fields: LogFields = {}) => void lines.push({ event, ...fields }) };
    return new Hono<AppEnv>().use(requestLog(own)).route("/", createServiceApp(own));
  }

  type App = ReturnType<typeof newApp>;

  async function post(
    app: App,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    to = counting,
  ) {
    lines.length = 0;
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    };
    const response = await app.request(path, init, to);
    const line = lines.find(({ event }) => event === "request");
    // The wait of a refused call is jittered.
    const text = (await response.text()).replace(/"retryAfterMs":\d+/, '"retryAfterMs":0');
    return { status: response.status, text, rpc: line?.rpc, keyId: line?.keyId };
  }

  function call(method: string, params: unknown = []) {
    return { jsonrpc: "2.0", id: 1, method, params };
  }

  beforeEach(() => {
    keyCalls = 0;
  });

  shortTest("calls the access key once for a key, and then the fund alone", async () => {
    const key = await newKey();
    const app = newApp();
    const get = () => post(app, "/sui/gas/v1", call("gas_getFund"), { "x-api-key": key.text });
    const first = await get();
    expect(first).toMatchObject({ status: 200, keyId: key.keyId, rpc: "gas_getFund" });
    expect(keyCalls).toBe(1);
    expect([await get(), await get()]).toEqual([first, first]);
    expect(keyCalls).toBe(1);
    // An isolate that does not know the key learns from it that the fund admits.
    expect(await post(newApp(), "/sui/gas/v1", call("gas_getFund"), { "x-api-key": key.text })).toEqual(first);
    expect(keyCalls).toBe(2);
    expect(await atKey(key, { ...ofGas, fundMayAdmit: true })).toBe("leased");
  });

  const digest = "11111111111111111111111111111111";
  const requests: readonly (readonly [string, string, unknown, Readonly<Record<string, string>>])[] = [
    ["a good call", "/sui/gas/v1", call("gas_getFund"), {}],
    ["an unknown digest", "/sui/gas/v1", call("gas_getSponsoredTransactionBlockStatus", [digest]), {}],
    ["bad params", "/sui/gas/v1", call("gas_getSponsoredTransactionBlockStatus", [7]), {}],
    ["a refusal of the fund", "/sui/gas/v1", call("gas_sponsorTransactionBlock", ["AAA=", `0x${"1".repeat(64)}`]), {}],
    ["no such method", "/sui/gas/v1", call("gas_nothing"), {}],
    ["a call without an id", "/sui/gas/v1", { jsonrpc: "2.0", method: "gas_getFund" }, {}],
    ["a batch of one", "/sui/gas/v1", [call("gas_getFund")], {}],
    ["a batch", "/sui/gas/v1", [call("gas_getFund"), call("gas_getFund")], {}],
    ["a member that is no request", "/sui/gas/v1", [7], {}],
    ["another chain", "/aptos/gas/v1", call("gas_getFund"), {}],
    [
      "a bad Idempotency-Key",
      "/sui/gas/v1",
      call("gas_sponsorTransactionBlock"),
      { "idempotency-key": "ä".repeat(300) },
    ],
    ["a request from a page", "/sui/gas/v1", call("gas_getFund"), { origin: "https://app.test" }],
    ["a key in the path too", "/sui/gas/v1/:key", call("gas_getFund"), {}],
  ];
  const states: readonly (readonly [string, (key: Key) => Promise<unknown>])[] = [
    ["an active key", async () => {}],
    ["a disabled key", ({ keyId }) => bindings.ACCESS_KEY.getByName(keyId).update({ status: "disabled" })],
    ["a key without the right", ({ keyId }) => bindings.ACCESS_KEY.getByName(keyId).update({ rights: ["wallet"] })],
  ];

  describe.each(states)("answers the same on both ways for %s", (_state, change) => {
    test.each(variants(requests))("%s", async (_what, path, body, headers) => {
      const key = await newKey();
      const app = newApp();
      const shown = { "x-api-key": key.text, ...headers };
      const at = path.replace(":key", key.text);
      await post(app, "/sui/gas/v1", call("gas_getFund"), { "x-api-key": key.text });
      expect(await atFund(key)).toBe("admitted");
      await change(key);
      const oneHop = await post(app, at, body, shown);
      await abortAllDurableObjects();
      expect(await atKey(key, { ...ofWallet })).not.toBe("leased");
      const twoHops = await post(newApp(), at, body, shown);
      expect(oneHop).toEqual(twoHops);
    });
  });

  longTest("has the key admit a request whose call threw at its fund, and sends the call once", async () => {
    const key = await newKey({ limits: { qps: 1, cups: 1_000, sessionsPerSecond: 1 } });
    let sent = 0;
    const broken: Env = {
      ...counting,
      FUND: {
        getByName: (name) => {
          sent += 1;
          const admitAndCall = () => Promise.reject(new Error("reset"));
          return Object.assign(Object.create(bindings.FUND.getByName(name)), { admitAndCall });
        },
      },
    };
    const app = newApp();
    const get = (to: Env) => post(app, "/sui/gas/v1", call("gas_getFund"), { "x-api-key": key.text }, to);
    await get(counting);
    const failed = await get(broken);
    expect(failed).toMatchObject({ status: 200, keyId: key.keyId });
    expect(failed.text).toContain("internal");
    // The rate is exhausted later, and a refusal for it would hide that the call may have run.
    for (let calls = 0; calls < 8; calls++) expect((await get(broken)).text).toBe(failed.text);
    expect(sent).toBe(9);
    await bindings.ACCESS_KEY.getByName(key.keyId).update({ status: "disabled" });
    const refused = await get(broken);
    expect(refused).toMatchObject({ status: 401, keyId: null });
    expect(refused.text).toContain("bad_key");
    expect(sent).toBe(10);
  });

  shortTest("refuses another secret and an exhausted rate in the same way on both ways", async () => {
    const key = await newKey({ limits: { qps: 1, cups: 1_000, sessionsPerSecond: 1 } });
    const app = newApp();
    const get = (by: App, headers: Readonly<Record<string, string>>) =>
      post(by, "/sui/gas/v1", call("gas_getFund"), headers);
    const forged = { "x-api-key": textOf(key.keyId, new Uint8Array(16).fill(8)) };
    const good = { "x-api-key": key.text };
    const learned = await get(app, good);
    expect(await get(app, forged)).toMatchObject({ status: 401, keyId: null });
    expect(await get(app, forged)).toEqual(await get(newApp(), forged));
    const exhaust = async (by: App) => {
      let last = learned;
      for (let calls = 0; calls < 8; calls++) last = await get(by, good);
      return last;
    };
    const limited = await exhaust(app);
    expect(limited.text).toContain("rate_limited");
    await atKey(key);
    expect(await exhaust(newApp())).toEqual(limited);
  });
});
