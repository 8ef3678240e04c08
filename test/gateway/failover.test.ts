import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aptosGraphql } from "../../functions/service/gateway/aptos-graphql.ts";
import { aptosRest } from "../../functions/service/gateway/aptos-rest.ts";
import { transactionHash } from "../../shared/chain/aptos/transaction.ts";
import type { UpstreamResponse } from "../../shared/gateway/attempt.ts";
import { createEndpointHealth } from "../../shared/gateway/endpoint-health.ts";
import { forward } from "../../shared/gateway/forward.ts";
import type { Upstream } from "../../shared/gateway/upstream.ts";
import type { Network } from "../../shared/networks.ts";
import {
  answers,
  type Behaviour,
  bodyOf,
  breaksOff,
  breaksOffInChunks,
  type Hostile,
  hangs,
  impatientOnce,
  LEDGER_INFO,
  nobody,
  PATIENT,
  startHostile,
  TESTNET_HEADERS,
} from "./hostile.ts";

const GIVES_UP_MS = 300;
const SIGNED = "application/x.aptos.signed_transaction+bcs";
const SUBMITTED = Buffer.from("any signed transaction");

let bad: Hostile;
let good: Hostile;
let patience = PATIENT;
beforeEach(async () => {
  patience = PATIENT;
  [bad, good] = await Promise.all([startHostile(), startHostile()]);
});
afterEach(async () => {
  await Promise.all([bad.stop(), good.stop()]);
});

type Sent = RequestInit & { urls?: readonly string[]; archives?: readonly string[]; body?: Uint8Array };

function gateway(upstream: Upstream, network: Network, memory = createEndpointHealth(Date.now)) {
  return (path: string, init: Sent = {}) => {
    const { urls = [bad.url, good.url], archives = [], body = null, ...rest } = init;
    const method = rest.method ?? "GET";
    const url = `http://service.test${upstream.path}${path}`;
    const request = new Request(url, { ...rest, method });
    const asked = upstream.classify(
      { rest: path.replace(/\?.*$/, ""), segments: path.split(/[/?]/).slice(1), query: "" },
      request,
    );
    if (!asked.ok) throw new Error(asked.error.details);
    const outgoing = { method, headers: Object.fromEntries(request.headers), body: body && Uint8Array.from(body) };
    const order = { ask: asked.value, network, urls, archives, variable: `${network}_NODES`, outgoing };
    return forward(upstream, order, { fetch, health: memory, timeouts: patience });
  };
}

async function textOf(passing: UpstreamResponse): Promise<string> {
  return new Response(bodyOf(passing)).text();
}

/** Each way in which the first of two endpoints fails, unless it is not there at all. */
const FAILURES: readonly (readonly [string, Behaviour | null])[] = [
  ["refuses connections", null],
  ["hangs", hangs],
  ["answers 500", answers({ status: 500 })],
  ["answers 502 as something before it", answers({ status: 502, headers: { "content-type": "text/html" } })],
  ["answers 503", answers({ status: 503 })],
  ["answers 504", answers({ status: 504 })],
  ["answers 429", answers({ status: 429, headers: { "retry-after": "9" } })],
  ["turns our own key away", answers({ status: 401 })],
  ["has not been paid", answers({ status: 402, headers: { "content-type": "application/json" }, body: "{}" })],
  ["redirects", answers({ status: 307, headers: { location: "http://elsewhere.test/" } })],
  ["breaks off within half a body", breaksOff()],
  ["breaks off within half a body of no length", breaksOffInChunks()],
  ["ends half a body as if it were whole", answers({ body: LEDGER_INFO.slice(0, 5) })],
  ["is a node of another chain", answers({ headers: { ...TESTNET_HEADERS, "x-aptos-chain-id": "1" } })],
  ["is no node", answers({ headers: { "content-type": "text/html" }, body: "<!doctype html>" })],
];

async function failing(behaviour: Behaviour | null): Promise<readonly string[]> {
  if (behaviour === null) return [await nobody(), good.url];
  if (behaviour === hangs) patience = impatientOnce(GIVES_UP_MS, PATIENT);
  bad.behave(behaviour);
  return [bad.url, good.url];
}

describe.each(FAILURES)("with an endpoint that %s, Aptos REST", (_, behaviour) => {
  test("reads come from the next one, and ask the failing one last for a while", async () => {
    const urls = await failing(behaviour);
    const read = gateway(aptosRest, "APTOS_TESTNET");
    for (const init of [{}, { method: "POST" }]) {
      const answer = await read(init.method === "POST" ? "/view" : "/accounts/0x1", { ...init, urls });
      expect(answer.ok && (await textOf(answer.value))).toBe(LEDGER_INFO);
    }
    expect(good.reached.map(({ target }) => target)).toEqual(["/accounts/0x1", "/view"]);
    expect(bad.reached.length).toBe(behaviour === null ? 0 : 1);
  });

  test("a submission goes to the one that is known to be of the network, once", async () => {
    const urls = await failing(behaviour);
    good.behave((request, response) => answers(request.method === "POST" ? { status: 202 } : {})(request, response));
    const submit = gateway(aptosRest, "APTOS_TESTNET");
    const answer = await submit("/transactions", {
      method: "POST",
      body: SUBMITTED,
      headers: { "content-type": SIGNED },
      urls,
    });
    expect(answer.ok && answer.value.status).toBe(202);
    const posts = [...bad.reached, ...good.reached].filter(({ method }) => method === "POST");
    expect(posts.map(({ body }) => body)).toEqual([SUBMITTED]);
  });
});

/** Ways to fail that say that nothing was taken. */
const TURNED_AWAY = new Set(["answers 429", "turns our own key away", "has not been paid"]);

describe.each(FAILURES)("with an endpoint that was fine and now %s", (name, behaviour) => {
  test("a submission goes on to the next where nothing was done; otherwise the caller learns what is known, with the hash", async () => {
    const urls = await failing(behaviour);
    const memory = createEndpointHealth(Date.now);
    for (const url of urls) memory.noteVerified("APTOS_TESTNET", url);
    const submit = gateway(aptosRest, "APTOS_TESTNET", memory);
    const init = { method: "POST", body: SUBMITTED, headers: { "content-type": SIGNED }, urls };
    good.behave(answers({ status: 202 }));
    const answer = await submit("/transactions", init);
    const unknown = { reason: "outcome_unknown", reference: transactionHash(SUBMITTED) };
    expect(bad.reached.length).toBe(behaviour === null ? 0 : 1);
    if (TURNED_AWAY.has(name)) {
      expect(answer).toMatchObject({ ok: true, value: { status: 202 } });
      expect(good.reached).toMatchObject([{ body: SUBMITTED }]);
    } else {
      expect(answer).toMatchObject({ ok: false, error: unknown });
      expect(good.reached).toEqual([]);
    }
  });
});

describe("where every endpoint says 429", () => {
  const soon = () => new Date(Date.now() + 60_000).toUTCString();
  const whenBothSay = async (first: string | null, second: string | null, method: string) => {
    for (const [node, after] of [[bad, first] as const, [good, second] as const])
      node.behave(answers({ status: 429, headers: after === null ? {} : { "retry-after": after } }));
    const memory = createEndpointHealth(Date.now);
    for (const { url } of [bad, good]) memory.noteVerified("APTOS_TESTNET", url);
    const submitted = { method, body: SUBMITTED, headers: { "content-type": SIGNED } };
    const path = method === "POST" ? "/transactions" : "/accounts/0x1";
    return gateway(aptosRest, "APTOS_TESTNET", memory)(path, method === "POST" ? submitted : {});
  };

  test.each(["GET", "POST"])("a %s is 429, and says when the first of them may be asked again", async (method) => {
    const refusal = { reason: "rate_limited", retryAfterMs: 4_000 };
    expect(await whenBothSay("9", "4", method)).toMatchObject({ ok: false, error: refusal });
    expect(await whenBothSay(null, "4", method)).toMatchObject({ ok: false, error: refusal });
    const dated = await whenBothSay(soon(), null, method);
    if (dated.ok) throw new Error("passed");
    expect(dated.error.retryAfterMs).toBeGreaterThan(0);
    expect(dated.error.retryAfterMs).toBeLessThanOrEqual(60_000);
    const silent = await whenBothSay(null, "soon", method);
    expect(silent).toMatchObject({ ok: false, error: { reason: "rate_limited" } });
  });
});

test("a full mempool and what a node refuses are the node's own words, and pass", async () => {
  const submit = gateway(aptosRest, "APTOS_TESTNET");
  const init = { method: "POST", body: SUBMITTED, headers: { "content-type": SIGNED } };
  for (const status of [400, 404, 413, 507]) {
    const body = JSON.stringify({ message: "no", error_code: "mempool_is_full", vm_error_code: null });
    bad.behave((request, response) => answers(request.method === "POST" ? { status, body } : {})(request, response));
    const answer = await submit("/transactions", init);
    expect(answer.ok && [answer.value.status, await textOf(answer.value)]).toEqual([status, body]);
  }
  expect(good.reached).toEqual([]);
});

test("a batch of transactions is a write too, of no one hash, and so is a POST that nobody knows", async () => {
  const memory = createEndpointHealth(Date.now);
  memory.noteVerified("APTOS_TESTNET", bad.url);
  for (const path of ["/transactions/batch", "/view/", "/anything"]) {
    bad.behave(answers({ status: 500 }));
    memory.noteVerified("APTOS_TESTNET", bad.url);
    const answer = await gateway(aptosRest, "APTOS_TESTNET", memory)(path, { method: "POST", body: SUBMITTED });
    expect(answer).toMatchObject({ ok: false, error: { reason: "outcome_unknown" } });
    expect(!answer.ok && answer.error.reference).toBe(undefined);
  }
  expect(good.reached).toEqual([]);
});

test("when every endpoint fails the refusal says how, and names none of them", async () => {
  bad.behave(answers({ status: 500, body: bad.url }));
  good.behave(breaksOff());
  const answer = await gateway(aptosRest, "APTOS_TESTNET")("/accounts/0x1");
  expect(answer).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
  const details = answer.ok ? "" : answer.error.details;
  expect(details).toContain("HTTP 500");
  for (const { url } of [bad, good]) expect(details).not.toContain(new URL(url).host);
  const none = await gateway(aptosRest, "APTOS_TESTNET")("/accounts/0x1", { urls: [] });
  expect(!none.ok && none.error.details).toContain("set APTOS_TESTNET_NODES");
});

test("a node without a network's answer does not stop what the API says of itself, and what a node refuses at once", async () => {
  const read = gateway(aptosRest, "APTOS_TESTNET");
  bad.behave(answers({ headers: { "content-type": "text/html" }, body: "<!doctype html>" }));
  expect(await read("/spec")).toMatchObject({ ok: true, value: { status: 200 } });
  bad.behave(answers({ status: 404, headers: { "content-type": "application/json" }, body: "{}" }));
  expect(await read("/nowhere")).toMatchObject({ ok: true, value: { status: 404 } });
});

const LONG = JSON.stringify("x".repeat(400_000));

test("an answer that breaks off after its beginning has passed ends broken, with or without a length", async () => {
  for (const behaviour of [breaksOff({ body: LONG }), breaksOffInChunks({ body: LONG })]) {
    bad.behave(behaviour);
    const answer = await gateway(aptosRest, "APTOS_TESTNET")("/accounts/0x1/resources");
    if (!answer.ok) throw new Error(answer.error.details);
    expect(answer.value.body).toHaveProperty("pipeTo");
    await expect(textOf(answer.value)).rejects.toThrow();
  }
});

test("an answer that goes silent after its beginning ends broken once the idle limit is over", async () => {
  bad.behave((_, response) => void response.writeHead(200, TESTNET_HEADERS).write(LONG.slice(0, 200_000)));
  const answer = await gateway(aptosRest, "APTOS_TESTNET")("/accounts/0x1/resources");
  if (!answer.ok) throw new Error(answer.error.details);
  await expect(textOf(answer.value)).rejects.toThrow("silent");
});

test("of a 410 the archival endpoint is taken out, wherever it stands", async () => {
  const gone = {
    message: "pruned",
    error_code: "version_pruned",
    archival_endpoint: "http://evil.test",
    more: [{ archival_endpoint: 1 }],
  };
  bad.behave(answers({ status: 410, body: JSON.stringify(gone) }));
  const answer = await gateway(aptosRest, "APTOS_TESTNET")("/transactions/by_version/1");
  expect(answer.ok && [answer.value.status, JSON.parse(await textOf(answer.value))]).toEqual([
    410,
    { message: "pruned", error_code: "version_pruned", more: [{}] },
  ]);
});

test("a 410 does not get past that by another type, nor by its length", async () => {
  const gone = JSON.stringify({ message: "pruned", archival_endpoint: "http://evil.test" });
  const read = gateway(aptosRest, "APTOS_TESTNET");
  bad.behave(answers({ status: 410, headers: { ...TESTNET_HEADERS, "content-type": "text/plain" }, body: gone }));
  const untyped = await read("/transactions/by_version/1");
  expect(untyped.ok && (await textOf(untyped.value))).toBe('{"message":"pruned"}');
  bad.behave(answers({ status: 410, body: gone + " ".repeat(70_000) }));
  const padded = await read("/transactions/by_version/1");
  expect(padded.ok && (await textOf(padded.value)), "that endpoint has failed").toBe(LEDGER_INFO);
});

describe("a node that has pruned a read and names an archive", () => {
  const PATH = "/transactions/by_version/1";
  const KEPT = JSON.stringify({ from: "the archive" });
  let archive: Hostile;
  beforeEach(async () => {
    archive = await startHostile(answers({ body: KEPT }));
  });
  afterEach(() => archive.stop());

  function names(url: string): Behaviour {
    return answers({ status: 410, body: JSON.stringify({ message: "pruned", archival_endpoint: url }) });
  }

  async function read(archives: readonly string[], init: RequestInit & { body?: Uint8Array } = {}, path = PATH) {
    const answer = await gateway(aptosRest, "APTOS_TESTNET")(path, { ...init, archives });
    if (!answer.ok) throw new Error(answer.error.details);
    return { status: answer.value.status, text: await textOf(answer.value) };
  }

  const PRUNED = { status: 410, text: '{"message":"pruned"}' };

  test("gets its answer from there if the archive is listed, at the path that is listed", async () => {
    bad.behave(names(`${archive.url}/internal/admin?token=1`));
    expect(await read([`${archive.url}/v1`])).toEqual({ status: 200, text: KEPT });
    expect(archive.reached.map(({ method, target }) => [method, target])).toEqual([["GET", `/v1${PATH}`]]);
    expect(good.reached).toEqual([]);
  });

  test("has the body of a view go there, and no submission", async () => {
    bad.behave(names(archive.url));
    const body = Buffer.from('{"function":"0x1::coin::balance"}');
    const headers = { "content-type": "application/json" };
    expect(await read([archive.url], { method: "POST", body, headers }, "/view")).toEqual({ status: 200, text: KEPT });
    expect(archive.reached[0]).toMatchObject({ method: "POST", body, headers });
    bad.behave((asked, response) => (asked.method === "POST" ? names(archive.url) : answers())(asked, response));
    expect(await read([archive.url], { method: "POST", body: SUBMITTED }, "/transactions")).toEqual(PRUNED);
    expect(archive.reached.length).toBe(1);
  });

  test.each([
    ["another port", () => good.url],
    ["another host", () => archive.url.replace("127.0.0.1", "localhost")],
    ["another scheme", () => archive.url.replace("http:", "https:")],
    ["a user before another host", () => `${archive.url}@${good.url.slice("http://".length)}`],
    ["no URL", () => "archive"],
    ["no host", () => "file:///etc/passwd"],
    ["nothing", () => ""],
  ])("and names %s than is listed answers for itself", async (_, url) => {
    bad.behave(names(url()));
    expect(await read([`${archive.url}/v1`])).toEqual(PRUNED);
    expect([archive.reached, good.reached]).toEqual([[], []]);
  });

  test("answers for itself if none is listed, if the field is no text or lies deeper, and if it is no 410", async () => {
    bad.behave(names(archive.url));
    expect(await read([])).toEqual(PRUNED);
    for (const gone of [{ archival_endpoint: [archive.url] }, { more: { archival_endpoint: archive.url } }, null]) {
      bad.behave(answers({ status: 410, body: JSON.stringify(gone) }));
      expect((await read([archive.url])).status).toBe(410);
    }
    bad.behave(answers({ status: 404, body: JSON.stringify({ archival_endpoint: archive.url }) }));
    expect((await read([archive.url])).status).toBe(404);
    expect(archive.reached).toEqual([]);
  });

  test("is followed once: an archive's own 410 and 404 pass, without a further place", async () => {
    bad.behave(names(archive.url));
    archive.behave(names(good.url));
    expect(await read([archive.url, good.url])).toEqual(PRUNED);
    archive.behave(answers({ status: 404, body: '{"message":"nowhere"}' }));
    expect(await read([archive.url, good.url])).toEqual({ status: 404, text: '{"message":"nowhere"}' });
    expect(good.reached).toEqual([]);
  });

  test.each(FAILURES.filter(([, behaviour]) => behaviour !== null))(
    "with an archive that %s answers for itself",
    async (_, behaviour) => {
      bad.behave(names(archive.url));
      archive.behave(behaviour ?? hangs);
      if (behaviour === hangs) patience = impatientOnce(GIVES_UP_MS, PATIENT, 2);
      expect(await read([archive.url])).toEqual(PRUNED);
    },
  );
});

test("what is said of the request alone passes, in whatever words, and nobody has failed by it", async () => {
  const memory = createEndpointHealth(Date.now);
  const read = gateway(aptosRest, "APTOS_TESTNET", memory);
  for (const status of [400, 413, 414, 415, 431]) {
    bad.behave(answers({ status, headers: { "content-type": "text/html" }, body: "too much" }));
    const answer = await read("/accounts/0x1?limit=100000");
    expect(answer.ok && [answer.value.status, await textOf(answer.value)]).toEqual([status, "too much"]);
  }
  bad.behave(answers({ headers: { "content-type": "application/json" }, body: '{"chain_id":2}' }));
  expect(await read("/info")).toMatchObject({ ok: true, value: { status: 200 } });
  expect(good.reached).toEqual([]);
});

describe("an indexer", () => {
  const DATA = JSON.stringify({ data: { ledger_infos: [{ chain_id: 2 }] } });
  const healthy = answers({ headers: { "content-type": "application/json" }, body: DATA });
  const ask = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: Buffer.from('{"query":"{ x }"}'),
  };

  test.each(FAILURES)("that %s is passed over", async (_, behaviour) => {
    good.behave(healthy);
    const urls = await failing(behaviour);
    const answer = await gateway(aptosGraphql, "APTOS_TESTNET")("", { ...ask, urls });
    expect(answer.ok && (await textOf(answer.value))).toBe(DATA);
  });

  test("is asked for its chain before the first query, and not again for the next", async () => {
    bad.behave(healthy);
    const query = gateway(aptosGraphql, "APTOS_TESTNET");
    await query("", ask);
    await query("", ask);
    const asked = bad.reached.map(({ body }) => body.includes("ledger_infos"));
    expect(asked).toEqual([true, false, false]);
  });

  test("of another network never sees a query", async () => {
    bad.behave(healthy);
    const answer = await gateway(aptosGraphql, "APTOS_MAINNET")("", { ...ask, urls: [bad.url] });
    expect(answer).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
    expect(bad.reached.every(({ body }) => body.includes("ledger_infos"))).toBe(true);
  });
});
