import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { u64Input } from "../../shared/amounts.ts";
import { apiContracts } from "../../shared/api/apis.ts";
import { suiSponsorTransactionBlock } from "../../shared/api/sui-gas.ts";
import { suiAddress } from "../../shared/api/sui-values.ts";
import { done, refuse } from "../../shared/errors.ts";
import type { IdempotencyClaim } from "../../shared/idempotency.ts";
import type { DispatchOptions } from "../../shared/rpc/answer-calls.ts";
import {
  caller,
  endpoint,
  errorOf,
  exchange,
  INTERFACE_URL,
  letEverybodyIn,
  method,
  post,
  type TestContext,
} from "../support/rpc.ts";

const claims: (IdempotencyClaim | null)[] = [];
async function seen(_params: unknown, { idempotency }: TestContext) {
  claims.push(idempotency);
  return done(null);
}

const params = z.object({ sender: suiAddress, budget: u64Input.optional(), price: u64Input.optional() });
const withToken = z.object({ walletId: z.string(), sessionToken: z.string(), bytes: z.string() });
const bounded = z.object({ sender: suiAddress, budget: u64Input.optional(), maxGasBudget: u64Input.optional() });
const withCaptcha = z.object({ bytes: z.string(), recaptchaToken: z.string().optional() });
const honours = { idempotent: true };
const methods = [
  method("pay", params, z.null(), seen, honours),
  method("lend", params, z.null(), seen, honours),
  method("prepare", bounded, z.null(), seen, honours),
  method("execute", withToken, z.null(), seen, honours),
  method("submit", withCaptcha, z.null(), seen, honours),
  method("read", params, z.null(), seen),
];
const service = endpoint(methods);

const SENDER = `0x${"0".repeat(63)}5`;
const nothing = { jsonrpc: "2.0", result: null, id: 1 };

function call(name: string, given: unknown = [SENDER], id: unknown = 1) {
  return { jsonrpc: "2.0", method: name, params: given, id };
}

async function answer(body: unknown, key: string | null, at: DispatchOptions<TestContext> = service) {
  const headers: Readonly<Record<string, string>> = key === null ? {} : { "idempotency-key": key };
  return (await exchange(post(JSON.stringify(body), headers), at)).body;
}

async function claimOf(name: string, given: unknown, key = "attempt 1"): Promise<IdempotencyClaim> {
  claims.length = 0;
  expect(await answer(call(name, given), key)).toEqual(nothing);
  const [claim] = claims;
  if (claim === undefined || claim === null) throw new Error("no claim was made");
  return claim;
}

describe("a claim", () => {
  test("names the access key, the method and the caller's own key, whatever characters that has", async () => {
    for (const key of ["a", "/", "key_1/pay/a", "~ !", "x".repeat(255)])
      expect((await claimOf("pay", [SENDER], key)).scope).toBe(`${caller.keyId}/pay/${key}`);
    expect((await claimOf("lend", [SENDER], "a")).scope).toBe(`${caller.keyId}/lend/a`);
  });

  test("has one fingerprint for one request, however it is written", async () => {
    const { fingerprint } = await claimOf("pay", [SENDER, "5"]);
    expect(fingerprint).toMatch(/^[\w-]{43}$/);
    for (const same of [
      [SENDER, 5],
      [SENDER, 5, null],
      ["0x5", "5"],
      { sender: SENDER, budget: 5 },
      { budget: "5", sender: "0x05", price: null },
    ])
      expect((await claimOf("pay", same)).fingerprint).toBe(fingerprint);
  });

  test("has another fingerprint for another method, for other params and for the same value elsewhere", async () => {
    const fingerprints = [
      (await claimOf("pay", [SENDER, "5"])).fingerprint,
      (await claimOf("lend", [SENDER, "5"])).fingerprint,
      (await claimOf("pay", [SENDER])).fingerprint,
      (await claimOf("pay", [SENDER, "6"])).fingerprint,
      (await claimOf("pay", [SENDER, null, "5"])).fingerprint,
      (await claimOf("pay", ["0x6", "5"])).fingerprint,
    ];
    expect(new Set(fingerprints).size).toBe(6);
  });

  test("does not change with the most that a call may have held: a user's share is another one at each call", async () => {
    const { fingerprint } = await claimOf("prepare", [SENDER, "5", "9"]);
    expect((await claimOf("prepare", [SENDER, "5", "8"])).fingerprint).toBe(fingerprint);
    expect((await claimOf("prepare", [SENDER, "6", "9"])).fingerprint).not.toBe(fingerprint);
  });

  test("does not change with the token of a captcha, nor if there is none", async () => {
    const { fingerprint } = await claimOf("submit", ["AA==", "token 1"]);
    for (const more of [["token 2"], []])
      expect((await claimOf("submit", ["AA==", ...more])).fingerprint).toBe(fingerprint);
    expect((await claimOf("submit", ["AQ==", "token 1"])).fingerprint).not.toBe(fingerprint);
  });

  test("does not change with the session token, and every other param counts", async () => {
    const { fingerprint } = await claimOf("execute", ["w", "token 1", "AA=="]);
    expect((await claimOf("execute", ["w", "token 2", "AA=="])).fingerprint).toBe(fingerprint);
    expect((await claimOf("execute", ["w", "token 1", "AQ=="])).fingerprint).not.toBe(fingerprint);
    expect((await claimOf("execute", ["v", "token 1", "AA=="])).fingerprint).not.toBe(fingerprint);
  });

  test("is stored, so what is hashed never changes: method and canonical params as compact JSON", async () => {
    const hashed = createHash("sha256").update(`["pay","${SENDER}","5"]`).digest("base64url");
    expect((await claimOf("pay", [SENDER, "5"])).fingerprint).toBe(hashed);
  });

  test("is null without the header", async () => {
    claims.length = 0;
    expect(await answer(call("pay"), null)).toEqual(nothing);
    expect(claims).toEqual([null]);
  });

  test("is made only for callers that are let in, and for params that are good", async () => {
    const asked: unknown[] = [];
    const context = (): TestContext => {
      asked.push("context");
      return { caller, idempotency: null, interfaceUrl: INTERFACE_URL };
    };
    const refused = { ...endpoint(methods, async () => refuse("bad_key", "no")), context };
    expect(await answer(call("pay"), "attempt 1", refused)).toEqual(errorOf(-32001, 1, "bad_key"));
    const rightless = refuse("missing_right", "no");
    const wrongKey = { ...refused, admit: async () => done({ caller, calls: [rightless] }) };
    expect(await answer(call("pay"), "attempt 1", wrongKey)).toEqual(errorOf(-32001, 1, "missing_right"));
    const good = { ...refused, admit: letEverybodyIn };
    expect(await answer(call("pay", ["nobody"]), "attempt 1", good)).toEqual(errorOf(-32602, 1, "bad_params"));
    expect(asked).toEqual([]);
    await answer(call("pay"), "attempt 1", good);
    expect(asked).toEqual(["context"]);
  });
});

describe("a method that does not honour the header", () => {
  test.each(["attempt 1", "", "x".repeat(256)])("ignores it: %j", async (key) => {
    claims.length = 0;
    expect(await answer(call("read"), key)).toEqual(nothing);
    expect(claims).toEqual([null]);
    expect(await answer(call("no_such"), key)).toEqual(errorOf(-32601, 1));
  });
});

describe("an invalid request, refused before the key is looked at", () => {
  let admissions = 0;
  const counting = {
    ...service,
    admit: (calls: readonly unknown[]) => {
      admissions += 1;
      return letEverybodyIn(calls);
    },
  };

  test.each(["", "x".repeat(256), "tab\there", "\u00e9", "\u007f"])("is one whose key is %j", async (key) => {
    admissions = 0;
    expect(await answer(call("pay"), key, counting)).toEqual({
      jsonrpc: "2.0",
      error: {
        code: -32600,
        message: "Invalid Request",
        data: {
          reason: "invalid_request",
          details: "Idempotency-Key must be 1 to 255 printable ASCII characters",
        },
      },
      id: 1,
    });
    expect(admissions).toBe(0);
  });

  test("is a batch of more than one with a key, also of reads: one error for each member with an id", async () => {
    admissions = 0;
    const { jsonrpc, method: name } = call("read");
    const batch = [call("pay"), call("read", [SENDER], "b"), { jsonrpc, method: name, params: [SENDER] }, 3];
    expect(await answer(batch, "attempt 1", counting)).toEqual([
      errorOf(-32600, 1, "invalid_request"),
      errorOf(-32600, "b", "invalid_request"),
      errorOf(-32600, null, "invalid_request"),
    ]);
    expect(await answer([call("read"), call("read")], "attempt 1", counting)).toHaveLength(2);
    expect(admissions).toBe(0);
  });

  test("is not a batch of one", async () => {
    claims.length = 0;
    expect(await answer([call("pay")], "attempt 1")).toEqual([nothing]);
    expect(claims).toMatchObject([{ scope: expect.stringMatching(/attempt 1$/) }]);
  });
});

test("every u64 and every byte of a real method's params counts", async () => {
  const [kind, sender] = z
    .tuple([z.string(), z.string()])
    .rest(z.unknown())
    .parse(suiSponsorTransactionBlock.example.params);
  const real = endpoint([method("sponsor", suiSponsorTransactionBlock.params, z.null(), seen, honours)]);
  claims.length = 0;
  for (const given of [
    [kind, sender, "18446744073709551615"],
    { sender, transactionBytes: kind, gasBudget: "18446744073709551615" },
    [kind, sender, "18446744073709551614"],
  ])
    expect(await answer(call("sponsor", given), "a", real)).toEqual(nothing);
  const [first, again, other] = claims.map((claim) => claim?.fingerprint);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test("the methods that honour the header are those that have an effect on a fund or make a wallet", () => {
  const honouring = apiContracts.flatMap(({ methods }) => methods.filter(({ idempotent }) => idempotent));
  expect([...new Set(honouring.map(({ name }) => name))]).toEqual([
    "gas_sponsorTransactionBlock",
    "gas_prepareTransactionBlock",
    "gas_executeTransactionBlock",
    "svc_wal_createWallet",
    "svc_wal_executeGaslessTransaction",
    "svc_wal_executeGaslessTransactionBlock",
    "svc_wal_importWallet",
    "wal_createWallet",
    "wal_createWalletOnChain",
    "wal_executeGaslessTransaction",
    "wal_importWallet",
    "gas_sponsorTransaction",
    "gas_encodeAndSponsorTransaction",
    "gas_sponsorAndSubmitSignedTransaction",
  ]);
  for (const { errors } of honouring) expect(errors).toContain("idempotency_conflict");
});
