import { describe, expect, test } from "vitest";
import * as z from "zod";
import { openDevChain } from "../app.ts";
import { nodeSql } from "../node-sql.ts";
import { startRecordedChain } from "../testing.ts";
import { type AptosTarget, askAptosAgain } from "./aptos-contract.ts";
import { askGoldens, goldenNames } from "./aptos-goldens.ts";
import { askSignedGoldens } from "./aptos-goldens-signed.ts";
import { joined, type Replay } from "./cases.ts";
import { wrongCounts } from "./counts.ts";
import { type Chain, judge } from "./listed-differences.ts";
import { askSuiAgain, type SuiTarget } from "./sui-contract.ts";
import { askSuiFailures } from "./sui-failures.ts";

const EPOCH_DURATION_MS = 86_400_000n;
const BLOCK_MS = 200;
/** The faucet looks whether it has paid. */
const FAUCET_LOOKS_MS = 20;
const SUI_LAG_MS = 250;

/** Failures whose transactions were not recorded. */
const NOT_RECORDED: Readonly<Record<Chain, readonly string[]>> = {
  Sui: ["IndexOutOfBounds", "InsufficientGas while computing", "InvalidArgumentToSplit"].map(
    (name) => `failure ${name}`,
  ),
  Aptos: [],
};

/** Every difference has a row on the page of the development chain, and every row a difference. */
function expectListed(chain: Chain, { cases, leftOut }: Replay): void {
  const { counts, unlisted, settled } = judge(chain, cases);
  const wrong = wrongCounts(chain, counts);
  expect({ unlisted, settled, wrong }).toEqual({ unlisted: [], settled: [], wrong: [] });
  expect(leftOut.map(({ name }) => name)).toEqual(NOT_RECORDED[chain]);
}

async function startAptos(): Promise<AptosTarget> {
  let nowMs = Date.UTC(2026, 7, 1);
  const chain = await openDevChain({ sql: nodeSql(), nowMs: () => nowMs, epochDurationMs: EPOCH_DURATION_MS });
  const fetched = (path: string, init: RequestInit) => chain.fetch(new Request(`http://devchain.test${path}`, init));
  const schedule = JSON.stringify({ schedule: "2025-07" });
  await fetched("/control/gas", { method: "POST", body: schedule });
  return {
    call: (_, path, init) => fetched(`/aptos/v1${path}`, init),
    chain: {
      async fund(address, octas) {
        const body = JSON.stringify({ network: "APTOS_LOCALNET", address, amount: String(octas) });
        let isPaid = false;
        const paid = fetched("/faucet", { method: "POST", body }).finally(() => {
          isPaid = true;
        });
        while (!isPaid) {
          nowMs += BLOCK_MS;
          await new Promise((resolve) => setTimeout(resolve, FAUCET_LOOKS_MS));
        }
        const response = await paid;
        if (!response.ok) throw new Error(await response.text());
      },
      nowSeconds: () => Math.floor(nowMs / 1_000),
      pass: (ms) => {
        nowMs += ms;
      },
    },
  };
}

describe("the development chain answers as the recorded nodes did", () => {
  test("Sui", async () => {
    const { chain, control, fund, clock } = await startRecordedChain();
    const pass = (ms: number) => {
      clock.nowMs += ms;
    };
    const waiting = async () =>
      z.object({ waiting: z.int() }).parse(await (await control("GET", "/control/consensus")).json()).waiting;
    const order = async (path: string, body: object) => void (await control("POST", path, body));
    await order("/control/release", { release: "1.62" });
    await order("/control/protocol", { sendsGasCoin: false });
    await order("/control/lag", { lagMs: SUI_LAG_MS });
    const target: SuiTarget = {
      call: (method, body) =>
        chain.fetch(
          new Request(`http://devchain.test/sui/sui.rpc.v2.${method}`, {
            method: "POST",
            headers: { "content-type": "application/grpc-web+proto" },
            body,
          }),
        ),
      chain: { fund, holdConsensus: (held) => order("/control/consensus", { held }), waiting, pass },
    };
    expectListed("Sui", joined(await askSuiAgain(target), await askSuiFailures(target)));
  });

  test("Aptos", async () => {
    const target = await startAptos();
    expectListed(
      "Aptos",
      joined(await askGoldens(target), await askSignedGoldens(target), await askAptosAgain(target)),
    );
  });
});

test("each of the 100 answers that the tests of the Aptos API record is asked for again, or has a reason", () => {
  const { asked, notAsked } = goldenNames();
  const others = notAsked.filter(({ name }) => !asked.has(name));
  expect([asked.size, others.length, asked.size + others.length]).toEqual([81, 19, 100]);
});
