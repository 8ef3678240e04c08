import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { AccessKey } from "../../../shared/access/object.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { revokeSessions } from "../../../shared/project/revoke-sessions.ts";
import { badToken, call, newKey, newProject, newSession } from "../../support/wallets.ts";

const bindings: Env = env;

afterEach(() => {
  vi.restoreAllMocks();
});

test("an access key that does not answer keeps no other from refusing the sessions that are ended", async () => {
  const projectId = await newProject();
  const project = bindings.PROJECT.getByName(projectId);
  const entry = { action: "test", target: projectId, detailJson: "{}" };
  // More than are told at once, and the key that counts comes last.
  for (let index = 0; index < 100; index += 1) {
    const id = `key_${index.toString(16).padStart(20, "0")}`;
    await project.addResource({ kind: "key", id, network: "SUI_TESTNET" }, entry);
  }
  const key = await newKey(projectId);
  const token = await newSession(key);
  vi.spyOn(AccessKey.prototype, "acknowledgeSessionEpoch").mockRejectedValueOnce(new Error("no answer"));
  const revoked = revokeSessions(project, entry).then(
    () => "all",
    () => "not all",
  );
  expect(await revoked).toBe("not all");
  expect(await call(key, "svc_wal_createWallet", ["user-1", token])).toEqual(badToken);
  expect(await revokeSessions(project, entry)).toBe(101);
});

test("no request of a project calls more keys than a hundred, however many it has", async () => {
  const projectId = await newProject();
  const project = bindings.PROJECT.getByName(projectId);
  const entry = { action: "test", target: projectId, detailJson: "{}" };
  for (let index = 0; index < 250; index += 1) {
    const id = `key_${(1_000 + index).toString(16).padStart(20, "0")}`;
    await project.addResource({ kind: "key", id, network: "SUI_TESTNET" }, entry);
  }
  const told = [];
  for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
    const announced = await project.announceSessionEpoch(cursor);
    told.push(announced.keys);
    cursor = announced.nextCursor;
  }
  expect(told).toEqual([100, 100, 50]);
});
