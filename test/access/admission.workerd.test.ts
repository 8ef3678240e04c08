import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { admit } from "../../shared/access/admission.ts";
import { hashKeySecret, issueAccessKey } from "../../shared/access/key-format.ts";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";

const bindings: Env = env;
const deps = createDeps(env);
const keyId = "key_000000000000000000a1";
const secret = new Uint8Array(16).fill(3);
const given = { region: deps.config.region, network: "SUI_TESTNET", keyId, secret } as const;
const text = issueAccessKey(given, serviceSecrets(deps).keyPeppers);
const ask = { chain: "sui", calls: [["wallet"]] } as const;

/** Any use of the namespace fails the test. */
const withoutStorage: Env = {
  ...bindings,
  ACCESS_KEY: new Proxy(bindings.ACCESS_KEY, {
    get: () => {
      throw new Error("the key's object was asked");
    },
  }),
};

async function createKey(): Promise<void> {
  await bindings.ACCESS_KEY.getByName(keyId).create({
    keyId,
    projectId: "prj_000000000000000000a1",
    name: "app",
    network: "SUI_TESTNET",
    rights: ["wallet"],
    fundId: null,
    limits: { qps: 5, cups: 1000, sessionsPerSecond: 1 },
    policy: defaultKeyPolicy("sui"),
    secretHash: hashKeySecret(secret),
  });
}

async function reasonWithoutStorage(...keys: string[]): Promise<string> {
  const outcome = await admit(withoutStorage, deps, { ...ask, keys });
  return outcome.ok ? "admitted" : outcome.error.reason;
}

test("a live key is admitted, also when header and path show it twice", async () => {
  await createKey();
  const outcome = await admit(bindings, deps, { ...ask, keys: [text, text] });
  expect(outcome).toMatchObject({
    ok: true,
    value: { caller: { keyId, network: "SUI_TESTNET" }, calls: [{ ok: true }] },
  });
});

test("no key, a malformed one, two different ones, a forged one and one of another region are refused without I/O", async () => {
  expect(await reasonWithoutStorage()).toBe("bad_key");
  expect(await reasonWithoutStorage("us1_sui_testnet_zz")).toBe("bad_key");
  const forged = text.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  expect(await reasonWithoutStorage(text, forged)).toBe("bad_key");
  expect(await reasonWithoutStorage(forged)).toBe("bad_key");
  expect(await reasonWithoutStorage(text.replace(/^[a-z0-9]+_/, "zz9_"))).toBe("wrong_region");
  await expect(reasonWithoutStorage(text)).rejects.toThrow("the key's object was asked");
});

test("forged, unknown and disabled keys get one and the same answer", async () => {
  const unknown = await admit(bindings, deps, { ...ask, keys: [text] });
  const forged = await admit(bindings, deps, {
    ...ask,
    keys: [text.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
  });
  await createKey();
  await bindings.ACCESS_KEY.getByName(keyId).update({ status: "disabled" });
  const disabled = await admit(bindings, deps, { ...ask, keys: [text] });
  expect(unknown).toMatchObject({ ok: false, error: { reason: "bad_key" } });
  expect([forged, disabled]).toEqual([unknown, unknown]);
});

test("a genuine key whose secret is not the recorded one is refused", async () => {
  await createKey();
  const other = issueAccessKey({ ...given, secret: new Uint8Array(16).fill(4) }, serviceSecrets(deps).keyPeppers);
  expect(await admit(bindings, deps, { ...ask, keys: [other] })).toMatchObject({ error: { reason: "bad_key" } });
});

test("the record's network decides, not the prefix", async () => {
  await createKey();
  const relabelled = issueAccessKey({ ...given, network: "APTOS_TESTNET" }, serviceSecrets(deps).keyPeppers);
  const outcome = await admit(bindings, deps, { ...ask, keys: [relabelled] });
  expect(outcome).toMatchObject({ ok: true, value: { caller: { network: "SUI_TESTNET" } } });
  const aptos = await admit(bindings, deps, { ...ask, chain: "aptos", keys: [text] });
  expect(aptos).toMatchObject({ error: { reason: "wrong_network" } });
});

test("a batch is judged call by call", async () => {
  await createKey();
  const outcome = await admit(bindings, deps, { ...ask, keys: [text], calls: [["wallet"], ["gas"], ["wallet"]] });
  expect(outcome.ok && outcome.value.calls).toMatchObject([
    { ok: true },
    { ok: false, error: { reason: "missing_right" } },
    { ok: true },
  ]);
});
