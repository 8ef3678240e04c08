import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createKey, createProject } from "../../shared/cli/client/admin.ts";
import { http } from "../../shared/cli/client/http.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";

const USERS = 30;
const NEIGHBOURS = 20;
const PATIENCE_MS = 5_000;
const { FLOWS_CALLER_SECRET, FLOWS_SECRET } = randomSecrets();

let hosted: SelfHosted;
let neighbours: readonly string[];
beforeAll(async () => {
  hosted = await startSelfHosted();
  const app = await createProject(hosted, "app", { secretDerivation: "hkdf" });
  const { key } = await createKey(hosted, app, { name: "app", rights: ["wallet"] });
  const neighbour = await createProject(hosted, "neighbour", { secretDerivation: "scrypt" });
  const fields = { name: "flood", rights: ["wallet"], limits: { qps: 1_000, cups: 1, sessionsPerSecond: 1_000 } };
  neighbours = await Promise.all(
    Array.from({ length: NEIGHBOURS }, async () => (await createKey(hosted, neighbour, fields)).key),
  );
  await hosted.service.restart({ FLOWS_CALLER_SECRET, FLOWS_SECRET, FLOWS_SUI_KEY: key });
});
afterAll(() => hosted.stop());

async function signIn(user: string) {
  const begunAt = performance.now();
  const { status, body } = await http(`${hosted.serviceUrl}/flows/create-wallet-on-chain`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${FLOWS_CALLER_SECRET}`,
      "x-user-id": user,
    },
    body: JSON.stringify({ chain: "sui" }),
  });
  const { address = null } = z.looseObject({ address: z.string().optional() }).parse(body);
  return { user, status, address, tookMs: performance.now() - begunAt };
}

/** Derives as fast as it can, until it is told to stop. */
async function flood(key: string, isOver: () => boolean): Promise<number> {
  let derived = 0;
  while (!isOver()) {
    const { body } = await rpcCall(`${hosted.serviceUrl}/wallet/v1`, key, "svc_key_createSession", ["guess"]);
    if (z.object({ result: z.string() }).safeParse(body).success) derived += 1;
    else await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return derived;
}

test("thirty users sign in together, twice, beside a neighbour whose 20 keys derive: all get a session within 5 s", async () => {
  const together = (names: string) => Promise.all(Array.from({ length: USERS }, (_, index) => signIn(names + index)));
  const longestMs = (answered: Awaited<ReturnType<typeof together>>) =>
    Math.max(...answered.map(({ tookMs }) => tookMs));
  // What this machine takes for it without a neighbour.
  const aloneMs = longestMs(await together("alone-"));
  let over = false;
  const floods = neighbours.map((key) => flood(key, () => over));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const answers = [...(await together("early-")), ...(await together("late-"))];
  over = true;
  const derived = (await Promise.all(floods)).reduce((total, one) => total + one, 0);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(new Set(answers.map(({ address }) => address)).size).toBe(2 * USERS);
  expect(longestMs(answers)).toBeLessThan(PATIENCE_MS + aloneMs);
  expect(derived, "and the neighbour is served").toBeGreaterThan(0);
});
