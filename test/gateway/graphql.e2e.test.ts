import { Account } from "@aptos-labs/ts-sdk";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { http } from "../../shared/cli/client/http.ts";
import { admin, chainUrl } from "../harness/harness.ts";
import { giveApt, OCTAS_PER_APT } from "../support/aptos.ts";
import { GRAPHQL_URL, type KeyPlace, newNodeKey, stockAptos } from "./gateways.ts";

function query(key: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const init = { "content-type": "application/json", "x-api-key": key, ...headers };
  return http(GRAPHQL_URL, {
    method: "POST",
    headers: init,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const BALANCES = `query balances($where: current_fungible_asset_balances_bool_exp!, $limit: Int = 50) {
  current_fungible_asset_balances(where: $where, limit: $limit) { amount asset_type }
}`;

describe.each<KeyPlace>(["bearer", "header"])(
  "the stock Aptos client asks the indexer through the gateway, key as %s",
  (place) => {
    test("its own queries", async () => {
      const { key } = await newNodeKey();
      const client = stockAptos(key, place);
      const { accountAddress } = Account.generate();
      await giveApt(accountAddress.toString(), OCTAS_PER_APT);
      // The indexer is behind its node: the client waits for it.
      const { ledger_version: paidBy } = await client.getLedgerInfo();
      const owned = await client.getCurrentFungibleAssetBalances({
        minimumLedgerVersion: BigInt(paidBy),
        options: { where: { owner_address: { _eq: accountAddress.toString() } } },
      });
      expect(owned.map(({ amount }) => BigInt(amount))).toEqual([OCTAS_PER_APT]);
      expect(await client.getIndexerLastSuccessVersion()).toBeGreaterThan(0n);
      expect(await client.queryIndexer<object>({ query: { query: "{ ledger_infos { chain_id } }" } })).toEqual({
        ledger_infos: [{ chain_id: 4 }],
      });
    });
  },
);

test("an answer says what it cost and what is left", async () => {
  const { key } = await newNodeKey({ limits: { qps: 1, cups: 1_000 } });
  const first = await query(key, { query: BALANCES, variables: { where: {}, limit: 5 } });
  expect(first.status).toBe(200);
  expect(first.headers.get("x-cu-used")).toBe("15");
  const left = Number(first.headers.get("x-cu-remaining"));
  expect(left).toBe(4_985);
  const refused = await query(key, { query: "mutation { x }" });
  expect([refused.status, refused.headers.get("x-cu-used")]).toEqual([400, "10"]);
});

/** 1,100 compute units. */
const COSTLY = { query: `{ ${Array.from({ length: 10 }, (_, n) => `a${n}: ledger_infos { chain_id }`).join(" ")} }` };

test("a key's compute units are its own, a changed limit holds from the next call, and Retry-After holds", async () => {
  const { key, keyId } = await newNodeKey({ limits: { qps: 1, cups: 1_000_000 } });
  for (let call = 0; call < 6; call++) expect((await query(key, COSTLY)).status).toBe(200);
  expect((await admin("PATCH", `/keys/${keyId}`, { limits: { qps: 1, cups: 600 } })).status).toBe(200);
  // Its units come back meanwhile, so that nobody can say which call is the first to be refused.
  let refused = await query(key, COSTLY);
  for (; refused.status !== 429; refused = await query(key, COSTLY)) expect(refused.status).toBe(200);
  expect(refused.body).toMatchObject({ errors: [{ extensions: { code: "RATE_LIMITED" } }] });
  const waitSeconds = Number(refused.headers.get("retry-after"));
  expect([1, 2]).toContain(waitSeconds);
  await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
  expect((await query(key, COSTLY)).status).toBe(200);
  const another = await newNodeKey({ limits: { qps: 1, cups: 600 } });
  expect((await query(another.key, COSTLY)).status).toBe(200);
});

/** That the indexer was asked. What funds of other tests ask their nodes is counted beside it. */
async function queriesSoFar(): Promise<number> {
  const calls = z.record(z.string(), z.number()).parse((await http(`${chainUrl}/control/calls`)).body);
  return calls["POST /graphql"] ?? 0;
}

test.each([
  ["a mutation", { query: "mutation { insert_x { id } }" }, "QUERY_NOT_ALLOWED"],
  ["a subscription", { query: "subscription { ledger_infos { chain_id } }" }, "QUERY_NOT_ALLOWED"],
  ["a batch", [{ query: "{ ledger_infos { chain_id } }" }], "QUERY_NOT_ALLOWED"],
  ["a type definition", { query: "type X { y: Int }" }, "QUERY_NOT_ALLOWED"],
  ["no query", { variables: {} }, "BAD_BODY"],
  ["no JSON", "{", "BAD_BODY"],
  ["nonsense", { query: "{ a { " }, "BAD_QUERY"],
  ["too deep a query", { query: "{a{a{a{a{a{a{a{a{a{b}}}}}}}}}}" }, "QUERY_TOO_COMPLEX"],
])("%s is refused in the shape of the language, and asks no indexer", async (_, body, code) => {
  const { key } = await newNodeKey();
  const before = await queriesSoFar();
  const answer = await query(key, body);
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code } }] },
  });
  expect(await queriesSoFar()).toBe(before);
});
