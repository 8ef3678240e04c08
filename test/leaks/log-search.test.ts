import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { LogSearch, secretsOf } from "./log-search.ts";

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const base64url = (bytes: number) => randomBytes(bytes).toString("base64url");

function found(planted: string, prepare: (search: LogSearch) => void = () => {}): readonly string[] {
  const search = new LogSearch();
  prepare(search);
  search.add(JSON.stringify({ event: "request", path: "/admin/v1/funds/:id" }));
  search.add(JSON.stringify({ event: "careless", detail: `before ${planted} after` }));
  return search.search();
}

test.each([
  ["an access key", `us1_sui_localnet_${hex(32)}`],
  ["an operator's token", `admin_${hex(32)}`],
  ["a session token", `ivs_${"A".repeat(51)}`],
  ["a one-time link of the dashboard", `/dashboard/enter/${base64url(32)}`],
  ["a cookie of the dashboard", `__Secure-gasworks_dashboard=${base64url(40)}`],
  ["a webhook secret", `whsec_${Buffer.alloc(32, 7).toString("base64")}`],
  ["the path of a chat service's hook", "https://hooks.slack.com/services/T0123456/B0123456/abcdefghijkl"],
  ["the path of a chat service's hook", "https://discord.com/api/webhooks/123456789/abcdefghijkl/slack"],
  ["the path of a chat service's hook", "https://chat.example.com/hooks/abcdefghijkl"],
  ["a user's token", `${"eyJhbGciOiJFUzI1NiJ9"}.eyJzdWIiOiJ1c2VyIn0.${"A".repeat(86)}`],
  ["the header of a token", `Bearer ${"A".repeat(43)}`],
  ["a private key", `suiprivkey1${"q".repeat(59)}`],
  ["a private key", `ed25519-priv-0x${hex(32)}`],
  ["a private key", `${"-----BEGIN "}PRIVATE KEY-----`],
])("a line with %s is found by its event, and not printed", (kind, secret) => {
  expect(found(secret)).toEqual([`${kind} in careless`]);
});

test("half of a secret that a test has made is found, also in a line of a later file", () => {
  const secret = base64url(32);
  const search = new LogSearch();
  search.keep([secret]);
  expect(search.search()).toEqual([]);
  search.add(`warn: ${secret.slice(0, 30)}`);
  expect(search.search()).toEqual(["a secret of a test in a line without an event"]);
  expect(search.search()).toEqual([]);
});

test("a secret of the service is found in other forms, also one of a rotated list", () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const MASTER_KEYS = `1:${first.toString("base64")},2:${second.toString("base64")}`;
  const prepare = (search: LogSearch) => search.keepVars({ MASTER_KEYS });
  for (const planted of [first.toString("hex"), second.toString("base64"), second.toString("base64url")])
    expect(found(planted, prepare)).toEqual(["MASTER_KEYS in careless"]);
});

test("the part of a key that names its holder is no secret", () => {
  const id = hex(10);
  const key = `us1_sui_localnet_01${id}${hex(21)}`;
  expect(found(`key_${id} us1_sui_localnet_01${id}`, (search) => search.keep([key]))).toEqual([]);
  expect(found(key.slice(-21), (search) => search.keep([key]))).toEqual(["a secret of a test in careless"]);
});

test("an answer's secrets are those that the admin API shows once", () => {
  expect(secretsOf({ id: "key_1", key: "a", token: "b", secret: null })).toEqual(["a", "b"]);
  expect(secretsOf("a text")).toEqual([]);
});
