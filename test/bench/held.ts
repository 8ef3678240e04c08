import { readFile } from "node:fs/promises";
import type { WorkerdProcess } from "../../shared/cli/workerd.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { runLoad } from "./load.ts";
import { COIN_MIST, sponsorRoute } from "./route.ts";

/** An hour of ten sponsorships a second, all of them abandoned. */
const HELD = 36_000;
const STEPS = 4;
const CALLERS = 64;
const SETTLE_MS = 20_000;

/** Memory of a process, MiB. Linux only: elsewhere NaN. */
async function residentMib(process: WorkerdProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid()}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** What the service holds in memory while 36,000 sponsorships are live, and once it has started again with them. */
export async function benchHeld(): Promise<void> {
  const hosted = await startSelfHosted();
  const { service } = hosted;
  const print = async (when: string) => console.log(when.padEnd(32), `${(await residentMib(service)).toFixed(0)} MiB`);
  try {
    console.log(`making a fund with ${HELD + CALLERS} coins`);
    const { key } = await fundWithCoins(hosted, HELD + CALLERS, COIN_MIST);
    await service.restart();
    const route = await sponsorRoute("held", service, key);
    await (await fetch(`${service.url}/health`)).text();
    await print("started");
    for (let step = 1; step <= STEPS; step += 1) {
      await runLoad({ ...route, callers: CALLERS, requests: HELD / STEPS });
      await print(`${(HELD / STEPS) * step} held`);
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await print(`${SETTLE_MS / 1000} s later, looked up`);
    await service.restart();
    await runLoad({ ...route, callers: 1, requests: 1 });
    await print("started again, one call");
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await print(`${SETTLE_MS / 1000} s later, looked up`);
  } finally {
    await hosted.stop();
  }
}
