import { setTimeout as sleep } from "node:timers/promises";
import { allCommands } from "./commands/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { gasworks } from "./gasworks.ts";
import { Interrupts } from "./session.ts";
import { processScreen } from "./terminal/process-screen.ts";
import { sayText } from "./terminal/screen.ts";

const screen = processScreen();
const interrupts = new Interrupts();
const clock = { nowMs: Date.now, sleep: async (ms: number) => void (await sleep(ms)) };

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    const notice = interrupts.interrupt();
    sayText(screen, screen.err, [], notice === null ? "" : `\n${notice}`);
    process.exit(exitCodes.interrupted);
  });

const exit = await gasworks(process.argv.slice(2), allCommands(), { screen, env: process.env, clock, interrupts });
// The process ends by itself, so that a slow reader of the output gets all of it.
process.exitCode = exitCodes[exit];
