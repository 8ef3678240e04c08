import { Script, TransactionPayloadScript } from "@aptos-labs/ts-sdk";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { concatBytes } from "../../../shared/bytes.ts";
import { ARRIVAL_HEADER, START_LIMIT_MS } from "../../../shared/http/overload.ts";
import { type Draft, type DraftTerms, draftOf, newUser } from "../../support/aptos-chain.ts";
import { SIGN_AND_SUBMIT, wireBody } from "../../support/aptos-station.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { admin } from "../../support/wallets.ts";
import {
  bodyOf,
  inFlightOf,
  multiAgent,
  newKeyOf,
  newStation,
  refusal,
  rowsOf,
  type Station,
  send,
  simple,
  submit,
  ZERO,
} from "./station.ts";

const OTHER = `0x${"0b".repeat(32)}`;

let station: Station;
beforeEach(async () => {
  station = await newStation();
});
afterEach(async () => {
  expect(await inFlightOf(station)).toBe("0");
  expect(await rowsOf(station)).toEqual([]);
});

const fresh = (terms: Partial<DraftTerms> = {}) => draftOf(newUser(), terms);

async function expectRefused(body: unknown, status: number, reason: string, more: object = {}, key = station.key) {
  expect(await submit(key, body)).toMatchObject(refusal(status, reason, more));
}

/** What the SDK would send for a transaction of these bytes. */
function altered(draft: Draft, alter: (bytes: Uint8Array) => Uint8Array) {
  const { transaction, senderAuthenticator } = simple(draft);
  return wireBody(alter(transaction.bcsToBytes()), senderAuthenticator);
}

describe("bytes that are not one transaction of the SDK are refused", () => {
  shortTest("with bytes behind it", async () => {
    for (const more of [[7], [0, 0], new Array(32).fill(0), new Array(64).fill(1)])
      await expectRefused(
        altered(fresh(), (bytes) => concatBytes(bytes, Uint8Array.from(more))),
        400,
        more.length === 1 ? "unsupported_transaction" : "non_canonical_bytes",
      );
  });

  shortTest("with one zero behind it, which makes its fee payer a signer", async () => {
    await expectRefused(
      altered(fresh(), (bytes) => concatBytes(bytes, Uint8Array.of(0))),
      400,
      "unsupported_transaction",
    );
  });

  shortTest("cut off, or without the part behind the raw transaction", async () => {
    const draft = fresh();
    await expectRefused(
      altered(draft, (bytes) => bytes.slice(0, -1)),
      400,
      "unsupported_transaction",
    );
    await expectRefused(
      altered(draft, () => draft.rawTransaction),
      400,
      "unsupported_transaction",
    );
  });

  longTest("or are another one than was signed, by one bit at any place, and none of them is a fault", async () => {
    const body = bodyOf(simple(fresh()));
    const flipped = (bytes: readonly number[], at: number) => bytes.with(at, (bytes[at] ?? 0) ^ (1 << (at % 8)));
    const everyThird = (bytes: readonly number[]) =>
      bytes.flatMap((_, at) => (at % 3 === 0 ? [flipped(bytes, at)] : []));
    const others = [
      ...everyThird(body.transactionBytes).map((transactionBytes) => ({ ...body, transactionBytes })),
      ...everyThird(body.senderAuth).map((senderAuth) => ({ ...body, senderAuth })),
    ];
    expect(others.length).toBeGreaterThan(80);
    for (const other of others) expect((await submit(station.key, other)).status).toBe(400);
  });

  longTest("in another form than numbers of bytes", async () => {
    const body = bodyOf(simple(fresh()));
    for (const transactionBytes of [
      undefined,
      [],
      [256],
      [-1],
      [1.5],
      ["1"],
      "0x00",
      { 0: 1 },
      new Array(70_000).fill(1),
    ])
      await expectRefused({ ...body, transactionBytes }, 400, "bad_params");
    for (const senderAuth of [undefined, [], [256], "0x00"])
      await expectRefused({ ...body, senderAuth }, 400, "bad_params");
    for (const additionalSignersAuth of [[1], [[]], [[256]], new Array(32).fill([1])])
      await expectRefused({ ...body, additionalSignersAuth }, 400, "bad_params");
    await expectRefused({ ...body, recaptchaToken: 7 }, 400, "bad_params");
    await expectRefused({ ...body, more: 1 }, 400, "bad_params");
    await expectRefused({ ...body, additionalSignersAuth: null }, 400, "bad_body");
    for (const other of [[], "text", 1]) await expectRefused(JSON.stringify(other), 400, "bad_body");
  });
});

describe("a fee payer is refused", () => {
  shortTest("that is another fund, an account, or none, whatever the signatures are over", async () => {
    const neighbour = await newStation();
    for (const named of [neighbour.address, OTHER])
      for (const signedOver of [named, ZERO, station.address]) {
        const draft = fresh();
        const { transaction } = simple(draft, named);
        const { senderAuthenticator } = simple(draft, signedOver);
        await expectRefused(wireBody(transaction.bcsToBytes(), senderAuthenticator), 400, "unsupported_transaction");
      }
    await expectRefused(bodyOf(simple(fresh(), null)), 400, "unsupported_transaction", {
      message: expect.stringContaining("withFeePayer: true"),
    });
  });

  shortTest("if signatures are over another one than is named", async () => {
    const draft = fresh();
    const { transaction } = simple(draft);
    for (const over of [OTHER, null]) {
      const { senderAuthenticator } = simple(draft, over);
      await expectRefused(wireBody(transaction.bcsToBytes(), senderAuthenticator), 400, "bad_signature");
    }
  });
});

describe("signers are refused", () => {
  const bodyOfAll = ({
    transaction,
    senderAuthenticator,
    additionalSignersAuthenticators,
  }: ReturnType<typeof multiAgent>) =>
    wireBody(transaction.bcsToBytes(), senderAuthenticator, additionalSignersAuthenticators);

  shortTest("if the fund is one of them", async () => {
    const draft = fresh({ secondaries: [newUser()] });
    // The signature is another account's: the address alone is enough.
    await expectRefused(bodyOfAll(multiAgent(draft, ZERO, [station.address])), 400, "sender_is_fund");
    const sender = { ...newUser(), address: station.address };
    await expectRefused(bodyOf(simple(draftOf(sender))), 400, "sender_is_fund");
  });

  longTest("if one signs twice", async () => {
    const user = newUser();
    await expectRefused(bodyOfAll(multiAgent(fresh({ secondaries: [user, user] }))), 400, "duplicate_signer");
  });

  shortTest("if a signature is missing, one too many, in another order, or another's", async () => {
    const draft = fresh({ secondaries: [newUser(), newUser()] });
    const body = bodyOfAll(multiAgent(draft));
    const [first = [], second = []] = body.additionalSignersAuth ?? [];
    for (const additionalSignersAuth of [undefined, [], [first], [first, second, second], [[4], second]])
      await expectRefused({ ...body, additionalSignersAuth }, 400, "bad_signature");
    await expectRefused({ ...body, senderAuth: first }, 400, "bad_signature");
    await expectRefused({ ...bodyOf(simple(fresh())), additionalSignersAuth: [first] }, 400, "bad_signature");
  });
});

describe("the policy decides", () => {
  longTest("over a script, which no list of functions describes", async () => {
    const { key } = await newKeyOf(station.projectId, station.fundId, {
      policy: { moveTargets: { allow: ["0x1::aptos_account::*"] } },
    });
    const draft = fresh();
    Object.assign(draft.raw, { payload: new TransactionPayloadScript(new Script(Uint8Array.of(1, 2, 3), [], [])) });
    await expectRefused(bodyOf(simple(draft)), 400, "policy_refused", { data: { rule: expect.any(String) } }, key);
    await expectRefused(bodyOf(simple(fresh())), 400, "policy_refused", {}, key);
  });

  shortTest("over budget, price, chain and time, as for every other gas call", async () => {
    const cases: readonly (readonly [Partial<DraftTerms>, number, string])[] = [
      [{ maxGasUnits: 2_000_001n }, 400, "policy_refused"],
      [{ maxGasUnits: 1n }, 400, "gas_budget_out_of_range"],
      [{ priceOctas: 99n }, 400, "gas_price_out_of_range"],
      [{ chainId: 2 }, 400, "wrong_chain_id"],
      [{ expirationSecs: 1n }, 400, "expired"],
      [{ expirationSecs: BigInt(Math.floor(Date.now() / 1_000)) + 4_000n }, 400, "expiration_too_far"],
      [{ maxGasUnits: 1_500_000n }, 503, "balance_too_low"],
      [{ sequenceNumber: 1n }, 422, "account_not_found"],
    ];
    for (const [terms, status, reason] of cases) await expectRefused(bodyOf(simple(fresh(terms))), status, reason);
  });

  shortTest("while the fund is paused", async () => {
    const body = bodyOf(simple(fresh()));
    await admin("PATCH", `/funds/${station.fundId}`, { paused: true });
    await expectRefused(body, 403, "fund_paused");
    await admin("PATCH", `/funds/${station.fundId}`, { paused: false });
  });
});

shortTest("a key above its rate is told when to return", async () => {
  const { key } = await newKeyOf(station.projectId, station.fundId, { limits: { qps: 1, cups: 1 } });
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => submit(key, bodyOf(simple(fresh({ chainId: 2 }))))),
  );
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  for (const answer of limited) {
    expect(answer).toMatchObject(refusal(429, "rate_limited", { data: { retryAfterMs: expect.any(Number) } }));
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

longTest(
  "a request that waited too long is refused in the form of the interface's errors, and nothing is done",
  async () => {
    const stamp = { [ARRIVAL_HEADER]: String(Date.now() - 2 * START_LIMIT_MS) };
    const late = await submit(station.key, bodyOf(simple(fresh())), stamp);
    expect(late).toMatchObject(refusal(503, "overloaded"));
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  },
);

shortTest("a key of a fund on Sui, or without the right gas, is refused", async () => {
  const body = bodyOf(simple(fresh()));
  const { key } = await newKeyOf(station.projectId, station.fundId, { rights: ["wallet"], fundId: null });
  await expectRefused(body, 403, "missing_right", {}, key);
  await expectRefused(body, 401, "bad_key", {}, `${station.key.slice(0, -1)}x`);
});

shortTest("paths beside the interface's own are 404 in the form of its errors", async () => {
  for (const path of [
    "/gs/v1",
    "/gs/v1/",
    "/gs/v1/api",
    "/gs/v2/api/transaction/signAndSubmit",
    `${SIGN_AND_SUBMIT}/${station.key}`,
  ]) {
    const response = await send(path, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toEqual({ message: expect.any(String), error_code: "unknown_path", data: {} });
  }
});
