import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import worker from "../../functions/index.ts";
import { policy } from "../../functions/policy.ts";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import { keyMoveTargets } from "../../shared/policy/key-policy.ts";

const { adminToken } = serviceSecrets(createDeps(env));

async function ask(method: string, path: string, { body, vars = {} }: { body?: object; vars?: object } = {}) {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const url = `https://gasworks.test${path}`;
  const response = await worker.fetch(new Request(url, init), { ...env, ...vars }, createExecutionContext());
  return z.looseObject({}).parse(await response.json());
}

test("health tells where the workflows' access keys and the app's policy have come apart", async () => {
  const { id: projectId } = await ask("POST", "/admin/v1/projects", { body: { name: "project" } });
  const terms = { name: "workflows", network: "SUI_LOCALNET", rights: ["wallet"] };
  const made = await ask("POST", `/admin/v1/projects/${projectId}/keys`, { body: terms });
  const { id: keyId, key: FLOWS_SUI_KEY } = z.object({ id: z.string(), key: z.string() }).parse(made);
  const flows = { FLOWS_SUI_KEY, FLOWS_CALLER_SECRET: "0123456789012345678901234" };
  // A set of bindings of its own each time: what was compared is kept for a while.
  const health = (more: object = {}) => ask("GET", "/health", { vars: { ...flows, ...more } });
  expect(await health()).toEqual({ status: "ok", policy: expect.stringMatching(/^FLOWS_SUI_KEY: other Move calls/) });
  expect(await health({ FLOWS_BASE_URL: "https://elsewhere.test" }), "of another service").toEqual({ status: "ok" });

  const allow = keyMoveTargets(policy, "SUI_LOCALNET");
  await ask("PATCH", `/admin/v1/keys/${keyId}`, { body: { policy: { moveTargets: { allow } } } });
  expect(await health()).toEqual({ status: "ok" });
  await ask("PATCH", `/admin/v1/keys/${keyId}`, { body: { policy: { moveTargets: { allow: ["0x2::coin::zero"] } } } });
  expect(await health()).toMatchObject({ policy: expect.stringMatching(/^FLOWS_SUI_KEY: /) });
});
