import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { adminCall, createProject } from "../../shared/cli/client/admin.ts";
import { http } from "../../shared/cli/client/http.ts";
import { makeDeploymentSecrets } from "../../shared/cli/deploy-secrets.ts";
import { root } from "../../shared/cli/root.ts";
import { readSecrets } from "../../shared/cli/secrets.ts";
import {
  freePorts,
  type Ports,
  type Script,
  untilEnded,
  untilGone,
  untilRunning,
  withScript,
} from "../harness/launcher.ts";

let ports: Ports;
let directory: string;
let adminToken: string;
beforeAll(async () => {
  ports = await freePorts();
  directory = await mkdtemp(join(tmpdir(), "gasworks-self-host-"));
  await makeDeploymentSecrets(join(directory, "secrets"));
  adminToken = z.object({ ADMIN_TOKEN: z.string() }).parse(await readSecrets(join(directory, "secrets"))).ADMIN_TOKEN;
});
afterAll(() => rm(directory, { recursive: true }));

function selfHost<T>(secretsFile: string, use: (script: Script) => Promise<T>): Promise<T> {
  const args = ["--secrets-file", join(directory, secretsFile), "--state", join(directory, "state")];
  return withScript(["run", "self-host", "--", ...args], { cwd: root, env: ports }, use);
}

// The second start goes on from the first.
describe.sequential("npm run self-host", () => {
  const access = () => ({ serviceUrl: `http://127.0.0.1:${ports.PORT}`, adminToken });

  test("runs the service on workerd, and a SIGTERM leaves no process and no port", async () => {
    await selfHost("secrets", async (script) => {
      expect(await untilRunning(script)).toContain(`service     ${access().serviceUrl}`);
      expect(await http(`${access().serviceUrl}/health`)).toMatchObject({ status: 200, body: { status: "ok" } });
      await createProject(access(), "kept");
      process.kill(-script.group, "SIGTERM");
      await untilGone(script, ports);
    });
  });

  test("starts again with what it had, and only once at a time", async () => {
    await selfHost("secrets", async (script) => {
      await untilRunning(script);
      expect(await adminCall(access(), "GET", "/projects")).toMatchObject({ body: { items: [{ name: "kept" }] } });
      await selfHost("secrets", async (second) => {
        expect(await untilEnded(second)).toBe(1);
        expect(second.output()).toMatch(/Process [0-9]+ already uses /);
      });
      process.kill(-script.group, "SIGTERM");
      await untilGone(script, ports);
    });
  });

  test("is refused with other secrets than its state was made with, which are named", async () => {
    await makeDeploymentSecrets(join(directory, "others"));
    await selfHost("others", async (script) => {
      expect(await untilEnded(script)).toBe(1);
      expect(script.output()).toMatch(/others does not fit the state: MASTER_KEYS version 1/);
      await untilGone(script, ports);
    });
  });

  test("is refused where secrets and state lie in one directory", async () => {
    await selfHost("state/secrets", async (script) => {
      expect(await untilEnded(script)).toBe(1);
      expect(script.output()).toContain("Together they open every key");
    });
  });

  test("is refused in a sentence without its secrets", async () => {
    await selfHost("none", async (script) => {
      expect(await untilEnded(script)).toBe(1);
      expect(script.output()).toContain(`There is no ${join(directory, "none")}`);
      expect(script.output()).not.toContain("    at ");
    });
  });
});
