import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { chainUrl, harness, newFund, newKey, serviceUrl } from "../local/harness.ts";
import { readReadme, runnableCommands } from "./readme.ts";

test("every command of the README that talks to the service works as printed", async () => {
  const commands = runnableCommands(await readReadme());
  expect(commands.length).toBeGreaterThan(0);
  const { key } = await newKey(await newFund());
  const env = { ...process.env, ACCESS_KEY: key, ADMIN_TOKEN: harness.adminToken };
  for (const command of commands) {
    const here = command.replaceAll("http://127.0.0.1:8787", serviceUrl).replaceAll("http://127.0.0.1:8788", chainUrl);
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", here], { env });
    const answer: unknown = JSON.parse(stdout);
    expect(answer, command).toBeTypeOf("object");
    // JSON-RPC refusals carry `error`, the operator's problem documents `title`.
    expect(answer, command).not.toHaveProperty("error");
    expect(answer, command).not.toHaveProperty("title");
  }
});
