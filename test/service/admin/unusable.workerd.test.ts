import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { authorization } from "../../support/admin-access.ts";
import { readCsv } from "../../support/read-csv.ts";
import { clearFaults, giveForeign, LIST, orderFault } from "../../support/sui-chain.ts";

const deps = createDeps(env);
const adminApp = createAdminApp(deps);
const DEMO = `${DEMO_PACKAGE}::demo::DEMO`;

const madeSchema = z.object({ id: z.string(), depositAddress: z.string().nullish() });
const pageSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      kind: z.enum(["coin", "address_balance", "object"]),
      type: z.string(),
      owner: z.enum(["address", "consensus"]),
      objects: z.int(),
      amount: z.string().nullable(),
      objectId: z.string().nullable(),
      cause: z.string().min(1),
    }),
  ),
  nextCursor: z.string().nullable(),
});

afterEach(() => clearFaults());

async function make(path: string, body: object) {
  const headers = { authorization, "content-type": "application/json" };
  const response = await adminApp.request(path, { method: "POST", headers, body: JSON.stringify(body) }, env);
  expect(response.status).toBe(201);
  return madeSchema.parse(await response.json());
}

async function newFund(network = "SUI_LOCALNET", createDepositAddress = true) {
  const { id: projectId } = await make("/projects", { name: "demo" });
  const { id, depositAddress } = await make(`/projects/${projectId}/funds`, {
    name: "gas",
    network,
    createDepositAddress,
  });
  return { path: `/funds/${id}/unusable`, address: depositAddress ?? "" };
}

async function get(path: string, accept = "application/json") {
  return adminApp.request(path, { headers: { authorization, accept } }, env);
}

async function list(path: string) {
  const response = await get(path);
  expect(response.status).toBe(200);
  return pageSchema.parse(await response.json());
}

async function problem(path: string) {
  const response = await get(path);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    ...(await response.json<object>()),
  };
}

test("what was sent to a fund is listed, a page at a time, as JSON and as CSV", async () => {
  const { path, address } = await newFund();
  expect(await list(path)).toEqual({ items: [], nextCursor: null });
  await giveForeign(address);
  const { items, nextCursor } = await list(path);
  expect(nextCursor).toBe(null);
  expect(items).toHaveLength(6);
  expect(items).toContainEqual({
    kind: "address_balance",
    type: DEMO,
    owner: "address",
    objects: 0,
    amount: "3",
    objectId: null,
    cause: "another coin type pays for no gas",
  });
  // The cause is told as it is at each read: the fund's alarm works meanwhile.
  const withoutCause = (row: readonly string[]) => row.slice(0, -1);
  const paged: (readonly string[])[] = [];
  let next: string | undefined = `${path}?limit=1`;
  for (let pages = 0; next !== undefined && pages < 10; pages++) {
    const response: Response = await get(next, "text/csv");
    const [columns, ...rows] = readCsv(await response.text());
    expect(columns).toEqual(["kind", "type", "owner", "objects", "amount", "objectId", "cause"]);
    paged.push(...rows.map(withoutCause));
    next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
  }
  const asRow = (item: (typeof items)[number]) =>
    withoutCause(Object.values(item).map((value) => (value === null ? "" : `${value}`)));
  expect(paged.toSorted()).toEqual(items.map(asRow).toSorted());
});

test("a cursor that no node has given is 400, and names itself", async () => {
  const { path } = await newFund();
  for (const cursor of ["1", "x0.", "o0.!", `o0.${"A".repeat(4_001)}`, "o0.AAAA", "b0.AAAA"])
    expect(await problem(`${path}?cursor=${cursor}`), cursor).toMatchObject({
      status: 400,
      errors: [{ path: "cursor" }],
    });
  for (const limit of ["0", "201", "x"]) expect(await problem(`${path}?limit=${limit}`)).toMatchObject({ status: 400 });
});

test("no fund is 404, no node 503 with Retry-After, and an Aptos fund 422 with the place to look", async () => {
  expect(await problem(`/funds/fund_${"0".repeat(20)}/unusable`)).toMatchObject({ status: 404 });
  const { path } = await newFund();
  await orderFault(LIST, "unavailable", 1_000);
  expect(await problem(path)).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[0-9]+$/) });
  const aptos = await newFund("APTOS_LOCALNET");
  expect(await problem(aptos.path)).toMatchObject({ status: 422, detail: expect.stringContaining("indexer") });
});

test("a fund without an address has nothing", async () => {
  const { path } = await newFund("SUI_LOCALNET", false);
  expect(await list(path)).toEqual({ items: [], nextCursor: null });
});
