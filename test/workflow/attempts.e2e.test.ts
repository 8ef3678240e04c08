import { toBase64 } from "@mysten/sui/utils";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer, http } from "../../shared/cli/client/http.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import {
  callerSecret,
  flowsSecret,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
  sui,
  uniqueName,
} from "../harness/harness.ts";
import { aptos, newAptosFund, newAptosKey } from "../support/aptos.ts";
import { rounds, shortTest } from "../support/rounds.ts";
import { mintKind } from "../support/sui-transactions.ts";

/** One attempt, one transaction: N idempotency keys give N transactions or errors, whatever they ask for. */

let suiFund: ProjectFund;
let aptosFund: ProjectFund;
beforeAll(async () => {
  suiFund = await newFund();
  aptosFund = await newAptosFund();
  await setServiceVars({
    FLOWS_CALLER_SECRET: callerSecret,
    FLOWS_SECRET: flowsSecret.toString("base64"),
    FLOWS_SUI_KEY: (await newKey(suiFund, { rights: ["wallet", "gas"] })).key,
    FLOWS_APTOS_KEY: (await newAptosKey(aptosFund)).key,
  });
});

function post(user: string, name: string, body: object, key = "once"): Promise<HttpAnswer> {
  return http(`${serviceUrl}/flows/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${callerSecret}`,
      "x-user-id": user,
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
}

const failure = z.object({ error: z.object({ code: z.string(), retryable: z.literal(true) }) });
const done = z.union([
  z.object({ digest: z.string() }).transform(({ digest }) => digest),
  z.object({ hash: z.string() }).transform(({ hash }) => hash),
]);

/** A caller that is told to come back does so, under the same key. */
async function retried(ask: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  for (;;) {
    const answer = await ask();
    if (answer.status === 200) return answer;
    expectAnswer("a refusal that may be repeated", { ...answer, status: 200 }, failure);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function newWalletUser(chain: "sui" | "aptos"): Promise<string> {
  const user = uniqueName("user").replaceAll(" ", "-");
  await retried(() => post(user, "create-wallet-on-chain", { chain }));
  return user;
}

const isOnChain = {
  sui: async (digest: string) => (await sui.waitForTransaction({ digest })).$kind === "Transaction",
  aptos: async (transactionHash: string) => (await aptos.waitForTransaction({ transactionHash })).success,
};
const increment = { chain: "aptos", payload: { function: `${APTOS_DEMO_MODULE}::increment` } };

describe.each(["sui", "aptos"] as const)("on %s", (chain) => {
  const bodyOf = async () => (chain === "sui" ? { chain, transactionKind: toBase64(await mintKind()) } : increment);

  test.each([
    ["one after another", rounds(8, 3)],
    ["at once", rounds(6, 2)],
  ])("attempts %s never share a transaction, and each that is repeated succeeds", async (how, attempts) => {
    const user = await newWalletUser(chain);
    const body = await bodyOf();
    const keys = Array.from({ length: attempts }, (_, index) => `attempt ${index}`);
    const ask = (key: string) => post(user, "sponsor-and-execute", body, key);
    const first: HttpAnswer[] = [];
    if (how === "at once") first.push(...(await Promise.all(keys.map(ask))));
    else for (const key of keys) first.push(await ask(key));
    const successes = first.flatMap((answer) => (answer.status === 200 ? [done.parse(answer.body)] : []));
    expect(successes.length).toBeGreaterThan(0);
    expect(new Set(successes).size).toBe(successes.length);

    const all: string[] = [];
    for (const key of keys) all.push(done.parse((await retried(() => ask(key))).body));
    expect(new Set(all).size).toBe(attempts);
    expect(all).toEqual(expect.arrayContaining(successes));
    for (const transaction of all) expect(await isOnChain[chain](transaction)).toBe(true);
  });

  shortTest("repeats of one attempt, at once and later, are one transaction", async () => {
    const user = await newWalletUser(chain);
    const body = await bodyOf();
    const ask = () => retried(() => post(user, "sponsor-and-execute", body, "the click"));
    const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    expect(new Set(answers.map((answer) => done.parse(answer.body))).size).toBe(1);
  });
});
