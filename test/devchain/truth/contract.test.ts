import { describe, expect, test } from "vitest";
import * as z from "zod";
import { openDevChain } from "../app.ts";
import { nodeSql } from "../node-sql.ts";
import { startRecordedChain } from "../testing.ts";
import { type AptosTarget, askAptosAgain } from "./aptos-contract.ts";
import { askGoldens } from "./aptos-goldens.ts";
import type { Replay } from "./cases.ts";
import { type Chain, judge } from "./listed-differences.ts";
import { askSuiAgain } from "./sui-contract.ts";

const EPOCH_DURATION_MS = 86_400_000n;
const BLOCK_MS = 200;
/** The faucet looks whether it has paid. */
const FAUCET_LOOKS_MS = 20;
const SUI_LAG_MS = 250;

/** Every difference has a row on the page of the development chain, and every row a difference. */
function expectListed(chain: Chain, { cases, leftOut }: Replay): void {
  const { summary, unlisted, settled } = judge(chain, cases);
  process.stdout.write(`${summary}\n`);
  expect({ unlisted, settled, leftOut }).toEqual({ unlisted: [], settled: [], leftOut: [] });
}

async function startAptos(): Promise<AptosTarget> {
  let nowMs = Date.UTC(2026, 7, 1);
  const chain = await openDevChain({ sql: nodeSql(), nowMs: () => nowMs, epochDurationMs: EPOCH_DURATION_MS });
  const fetched = (path: string, init: RequestInit) => chain.fetch(new Request(`http://devchain.test${path}`, init));
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
    const replay = await askSuiAgain({
      call: (method, body) =>
        chain.fetch(
          new Request(`http://devchain.test/sui/sui.rpc.v2.${method}`, {
            method: "POST",
            headers: { "content-type": "application/grpc-web+proto" },
            body,
          }),
        ),
      chain: { fund, holdConsensus: (held) => order("/control/consensus", { held }), waiting, pass },
    });
    expectListed("Sui", replay);
  });

  test("Aptos", async () => {
    const target = await startAptos();
    const [goldens, again] = [await askGoldens(target), await askAptosAgain(target)];
    expectListed("Aptos", {
      cases: [...goldens.cases, ...again.cases],
      leftOut: [...goldens.leftOut, ...again.leftOut],
    });
  });
});
