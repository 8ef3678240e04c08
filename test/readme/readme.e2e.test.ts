import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { chainUrl, harness, newFund, newKey, serviceUrl } from "../local/harness.ts";
import { freePort } from "../local/ports.ts";
import { root } from "../local/root.ts";
import { readReadme, runnableCommands } from "./readme.ts";

const SCRIPT_LIMIT_MS = 60_000;

/** Runs it in the repository, as printed. Throws where it ends with another exit code than 0. */
async function run(command: string, env: object): Promise<string> {
  const options = { cwd: root, env: { ...process.env, ...env } };
  return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], options)).stdout;
}

async function commandsOf(program: "curl" | "npm"): Promise<readonly string[]> {
  const commands = runnableCommands(await readReadme());
  expect(commands.filter((command) => !/^(curl|npm) /.test(command))).toEqual([]);
  const ofProgram = commands.filter((command) => command.startsWith(`${program} `));
  expect(ofProgram.length).toBeGreaterThan(0);
  return ofProgram;
}

test("every npm script of the README that ends by itself works as printed", { timeout: SCRIPT_LIMIT_MS }, async () => {
  const ports = { PORT: String(await freePort()), CHAIN_PORT: String(await freePort()) };
  for (const command of await commandsOf("npm")) await run(command, ports);
});

test("every command of the README that talks to the service works as printed", async () => {
  const { key } = await newKey(await newFund());
  const env = { ACCESS_KEY: key, ADMIN_TOKEN: harness.adminToken };
  for (const command of await commandsOf("curl")) {
    const here = command.replaceAll("http://127.0.0.1:8787", serviceUrl).replaceAll("http://127.0.0.1:8788", chainUrl);
    const answer: unknown = JSON.parse(await run(here, env));
    expect(answer, command).toBeTypeOf("object");
    // JSON-RPC refusals carry `error`, the operator's problem documents `title`.
    expect(answer, command).not.toHaveProperty("error");
    expect(answer, command).not.toHaveProperty("title");
  }
});
