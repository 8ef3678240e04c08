import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { defaultKeyPolicy } from "../../../shared/policy/fund-policy-defaults.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { authorization } from "../../support/admin-access.ts";
import {
  BUDGET_MIST,
  crash,
  newFund,
  newFundOfCoins,
  refusalOf,
  sponsorInput,
  stub,
  type TestFund,
  user,
  useStoppedClock,
} from "../../support/sui-fund.ts";

const adminApp = createAdminApp(createDeps(env));
const FLOOD = "key_0000000000000000f10d";
const QUIET = "key_00000000000000000a1e";

useStoppedClock();

async function read(fund: TestFund, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await adminApp.request(`/funds/${fund.id}/${path}`, { headers: { authorization, ...headers } }, env);
  expect(response.status, path).toBe(200);
  return response;
}

const tightPolicy = { ...defaultKeyPolicy("sui"), maxGasBudgetAtoms: BUDGET_MIST - 1n };

test("a refused call is kept with what was asked, by whom, and which policy refused it", async () => {
  const fund = await newFundOfCoins(1);
  const input = await sponsorInput("refused", { keyId: QUIET, keyPolicy: tightPolicy, requestId: "request-1" });
  const refused = await stub(fund).sponsor(input);
  expect(refused).toMatchObject({ ok: false, error: { reason: "policy_refused" } });
  const { items } = await (await read(fund, "refusals?requestId=request-1")).json<{ items: unknown[] }>();
  expect(items).toEqual([
    {
      at: new Date().toISOString(),
      requestId: "request-1",
      keyId: QUIET,
      sender: user.toSuiAddress(),
      method: "sponsor",
      reason: "policy_refused",
      rule: "maxGasBudget",
      policy: "key",
      targets: [expect.stringContaining(`${DEMO_PACKAGE}::`)],
      gasBudget: BUDGET_MIST.toString(),
      digest: null,
      details: expect.stringContaining("maxGasBudget"),
    },
  ]);
  const csv = await (await read(fund, "refusals", { accept: "text/csv" })).text();
  expect(csv.split("\r\n")).toHaveLength(3);
  expect(csv).toContain('"request-1"');
});

test("refusals are listed by each filter, and counted by day, key, reason and rule", async () => {
  const fund = await newFundOfCoins(1);
  for (const keyId of [FLOOD, FLOOD, QUIET])
    await stub(fund).sponsor(await sponsorInput("refused", { keyId, keyPolicy: tightPolicy }));
  await stub(fund).execute({ digest: "none", senderSignature: "", waitForLocalExecution: false, idempotency: null });
  const lengthOf = async (query: string) =>
    (await (await read(fund, `refusals?${query}`)).json<{ items: unknown[] }>()).items.length;
  expect(await lengthOf("limit=200")).toBe(4);
  expect(await lengthOf(`keyId=${FLOOD}`)).toBe(2);
  expect(await lengthOf(`sender=${user.toSuiAddress()}`)).toBe(3);
  expect(await lengthOf("reason=unknown_sponsorship")).toBe(1);
  expect(await lengthOf("rule=maxGasBudget")).toBe(3);
  expect(await lengthOf(`from=${new Date(Date.now() + 1).toISOString()}`)).toBe(0);
  expect(await lengthOf(`to=${new Date(Date.now() + 1).toISOString()}`)).toBe(4);
  const dayAt = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  expect(await lengthOf(`from=${dayAt(0)}&to=${dayAt(0)}`)).toBe(4);
  expect(await lengthOf(`to=${dayAt(-1)}`)).toBe(0);
  const { items } = await (await read(fund, `refusal-counts?keyId=${FLOOD}`)).json<{ items: unknown[] }>();
  const day = new Date().toISOString().slice(0, 10);
  expect(items).toEqual([{ day, keyId: FLOOD, reason: "policy_refused", rule: "maxGasBudget", calls: 2 }]);
  const groups = [
    { name: "policy_refused maxGasBudget", count: 3, amounts: {} },
    { name: "unknown_sponsorship", count: 1, amounts: {} },
  ];
  for (const path of ["refusals/sum", "refusal-counts/sum"]) {
    const sum = await (await read(fund, path)).json<{ groups: { name: string }[] }>();
    expect({ ...sum, groups: sum.groups.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }, path).toEqual({
      count: 4,
      amounts: {},
      groups,
      nextCursor: null,
    });
    expect(await (await read(fund, `${path}?keyId=${FLOOD}`)).json(), path).toMatchObject({ count: 2 });
  }
});

test("a filtered list of refusals, and of their counters, is read to its end a page at a time", async () => {
  const fund = await newFundOfCoins(1);
  const input = await sponsorInput("refused", { keyId: QUIET, keyPolicy: tightPolicy });
  await stub(fund).sponsor(input);
  await stub(fund).sponsor(input);
  await stub(fund).sponsor({ ...input, keyPolicy: defaultKeyPolicy("sui"), gasBudgetMist: 1n });
  for (const path of [`refusals?keyId=${QUIET}&limit=1`, `refusal-counts?keyId=${QUIET}&limit=1`]) {
    const first = await (await read(fund, path)).json<{ nextCursor: string }>();
    const second = await (await read(fund, `${path}&cursor=${first.nextCursor}`)).json<{ items: unknown[] }>();
    expect(second.items, path).toHaveLength(1);
  }
  const csv = await (await read(fund, `refusals?keyId=${QUIET}`, { accept: "text/csv" })).text();
  expect(csv.trimEnd().split("\r\n")).toHaveLength(4);
});

test("a flood of one key keeps the other's refusal, its own last ones, and the whole count", async () => {
  const fund = await newFund();
  expect(await refusalOf(fund, "quiet", { keyId: QUIET })).toBe("balance_too_low");
  const input = await sponsorInput("flood", { keyId: FLOOD, keyPolicy: tightPolicy });
  for (let round = 0; round < 11; round += 1)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => stub(fund).sponsor({ ...input, requestId: `${round * 100 + index}` })),
    );
  const { items: quiet } = await (await read(fund, `refusals?keyId=${QUIET}`)).json<{ items: unknown[] }>();
  expect(quiet).toHaveLength(1);
  const last = await stub(fund).refusals({ limit: 1_100, cursor: null, keyId: FLOOD });
  expect(last?.items).toHaveLength(999);
  expect(last?.items[0]?.requestId).toBe("1099");
  const counts = await stub(fund).refusalCounts({ limit: 10, cursor: null, fromDay: 0, toDay: 99_999, keyId: FLOOD });
  expect(counts?.items.map(({ calls }) => calls)).toEqual([1_100]);
});

test("a written refusal survives a crash", async () => {
  const fund = await newFund();
  await stub(fund).sponsor(await sponsorInput("refused", { requestId: "before the crash" }));
  expect((await stub(fund).refusals({ limit: 1, cursor: null }))?.items).toHaveLength(1);
  await crash();
  expect((await stub(fund).refusals({ limit: 1, cursor: null }))?.items[0]).toMatchObject({
    requestId: "before the crash",
    reason: "balance_too_low",
  });
});
