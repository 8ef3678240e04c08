import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { build, DEVELOPMENT_CHAIN } from "../../shared/cli/build.ts";
import { http } from "../../shared/cli/client/http.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";

const { default: workerdPath } = z.object({ default: z.string() }).parse(createRequire(import.meta.url)("workerd"));

/** Linux, `ip_local_port_range`. */
const FIRST_OUTGOING_PORT = 32_768;

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    serviceWorkerScript = "addEventListener('fetch', (event) => event.respondWith(new Response('orphan')))",
    compatibilityDate = "2025-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);
`;

test("a runtime that a killed launcher has left on a directory is ended before another one starts there", async () => {
  const stateDirectory = await mkdtemp(join(tmpdir(), "gasworks-orphan-"));
  onTestFinished(() => rm(stateDirectory, { recursive: true, force: true }));
  const configPath = join(stateDirectory, "orphan.capnp");
  await writeFile(configPath, CONFIG);
  const orphan = spawn(workerdPath, ["serve", configPath], { cwd: stateDirectory, stdio: "ignore" });
  onTestFinished(() => void orphan.kill("SIGKILL"));
  await once(orphan, "spawn");
  const ended = once(orphan, "exit");
  const chain = await startWorkerd({ bundle: await build(DEVELOPMENT_CHAIN), stateDirectory, vars: {} });
  onTestFinished(() => chain.kill());
  expect((await ended)[1]).toBe("SIGKILL");
  // No outgoing connection of the system takes this port while a restart goes on.
  expect(Number(new URL(chain.url).port)).toBeLessThan(FIRST_OUTGOING_PORT);
  expect(await http(`${chain.url}/control/health`)).toMatchObject({ status: 200 });
});
