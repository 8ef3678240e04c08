import { spawn } from "node:child_process";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { freePort, LOOPBACK } from "../../../../shared/cli/ports.ts";
import { root } from "../../../../shared/cli/root.ts";
import { configHome, fakeService } from "../../../support/command-line.ts";

const FUND = `fund_${"0".repeat(20)}`;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Runs the real process on a terminal of its own, which Debian's `script` makes. */
async function onTerminal(args: readonly string[], env: Readonly<Record<string, string>>) {
  const command = [process.execPath, join(root, "functions/service/admin/cli/bin.js"), ...args].join(" ");
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    env: { ...process.env, ...env, XDG_CONFIG_HOME: await configHome(), TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  return {
    screen: () => stripVTControlCharacters(shown),
    press: (keys: string) => void child.stdin.write(keys),
    ended,
  };
}

test("Ctrl-C in the middle of a recovery ends the command as 130, asks for nothing more, and says how to look", async () => {
  const recovery = { state: "running", startedAt: "2026-11-23T08:00:00Z", openReferences: 2, corrections: "0" };
  const { env, taken } = await fakeService(({ method }) =>
    method === "POST"
      ? { status: 202, body: recovery }
      : { body: { id: FUND, name: "gas", network: "SUI_LOCALNET", recovery } },
  );
  const terminal = await onTerminal(["fund", "recover", FUND], env);
  await expect.poll(terminal.screen, { timeout: 60_000 }).toMatch(/yes/);
  expect(taken.filter(({ method }) => method !== "GET")).toEqual([]);
  terminal.press("yes\r");
  await expect.poll(() => taken.filter(({ method }) => method === "POST").length, { timeout: 60_000 }).toBe(1);
  await expect.poll(() => taken.at(-1)?.method, { timeout: 60_000 }).toBe("GET");
  terminal.press(CTRL_C);
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen().replaceAll(/\s+/g, " ")).toContain(`gasworks fund show ${FUND}`);
  expect(terminal.screen(), "it fits a terminal that does not know its size").toMatch(/^The recovery goes on .{20}/m);
});

test("Ctrl-D and Ctrl-C at a question change nothing", async () => {
  const { env, taken } = await fakeService(() => ({ body: { id: FUND, name: "gas", network: "SUI_LOCALNET" } }));
  for (const [key, code] of [
    [CTRL_D, 1],
    [CTRL_C, 130],
  ] as const) {
    const terminal = await onTerminal(["fund", "revoke", FUND, "--outstanding"], env);
    await expect.poll(terminal.screen, { timeout: 60_000 }).toMatch(/yes/);
    terminal.press(key);
    expect(await terminal.ended).toBe(code);
  }
  expect(taken.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("a service that is down ends a command as 3, and the terminal says where it was looked for", async () => {
  const url = `http://${LOOPBACK}:${await freePort()}`;
  const terminal = await onTerminal(["fund", "list"], { GASWORKS_URL: url, GASWORKS_TOKEN: "token-of-a-test" });
  expect(await terminal.ended).toBe(3);
  expect(terminal.screen()).toContain(url);
});
