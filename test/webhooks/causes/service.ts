import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { GrpcTypes } from "@mysten/sui/grpc";
import { expect } from "vitest";
import * as z from "zod";
import { checkFundBalances } from "../../../functions/check-fund-balances.ts";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../shared/bindings/directory.ts";
import { alteration, alterReplies } from "../../byzantine-node/altered-sui-node.ts";
import { setDatabaseSize } from "../../support/database-size.ts";
import { clearFaults, nodeDown } from "../../support/sui-chain.ts";
import { pass, SECOND_MS, until, withOurTime } from "../../support/sui-fund.ts";
import { admin, newFundKey } from "../../support/wallets.ts";
import { bindings, newProject, runAlarm } from "../../support/webhooks.ts";
import type { Cause, Listen } from "./cause.ts";

const GIB = 1_024 ** 3;
/** A project has 8 GiB. */
const HIGH_BYTES = Math.ceil(8 * GIB * 0.7);
const PRUNE_MS = 600_000;
const CHECK_MS = 30 * SECOND_MS;
const NEWER_PROTOCOL = 999n;

const directory = () => bindings.DIRECTORY.getByName(DIRECTORY_NAME);
const node = { network: "SUI_LOCALNET", endpoint: "chain.test" };

/** A project whose fund uses the network, and listens. @returns the project's id. */
async function inUse(listen: Listen): Promise<string> {
  const projectId = await newProject();
  await newFundKey(projectId, "SUI_LOCALNET", ["gas"]);
  await checkFundBalances(bindings, { ...createDeps(env), log: () => {} });
  await listen(projectId);
  return projectId;
}

/** Waits until a project has taken something in. Events of nodes follow a check, and nobody waits for them. */
function untilTaken(projectId: string): Promise<void> {
  return until(() =>
    runInDurableObject(
      env.PROJECT.getByName(projectId),
      (_, { storage }) => storage.sql.exec("SELECT 1 FROM delivery").toArray().length > 0,
    ),
  );
}

async function checkNodes(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    pass(CHECK_MS);
    await directory().nodes();
  }
}

/** The events that a key, a project or the whole service raises. */
export const SERVICE_CAUSES: readonly Cause[] = [
  {
    types: ["key.disabled"],
    async happen(listen) {
      const projectId = await newProject();
      await listen(projectId);
      const fields = { name: "back end", network: "SUI_TESTNET", rights: ["wallet"] };
      const { id } = z.object({ id: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, fields));
      const tellAll = async () => {
        pass(SECOND_MS);
        await runDurableObjectAlarm(env.ACCESS_KEY.getByName(id));
      };
      // One that is disabled already is no event.
      for (let times = 0; times < 2; times++) await admin("PATCH", `/keys/${id}`, { status: "disabled" });
      await tellAll();
      await admin("PATCH", `/keys/${id}`, { status: "active" });
      await admin("POST", `/keys/${id}/revoke`, { outstanding: false });
      await tellAll();
      const told = { type: "key.disabled", data: { keyId: id, name: "back end", network: "SUI_TESTNET" } } as const;
      return [told, told];
    },
  },
  {
    types: ["project.storage_high", "project.storage_recovered"],
    async happen(listen) {
      const projectId = await newProject();
      await listen(projectId);
      for (const [index, bytes] of [HIGH_BYTES, HIGH_BYTES, GIB, GIB].entries()) {
        await setDatabaseSize(env.PROJECT.getByName(projectId), bytes);
        // A wallet that begins makes an alarm due.
        const entry = { name: `wallet ${index}`, chain: "sui", walletId: `user-${index}` } as const;
        const terms = { masterKeyVersion: 1, scope: null, address: null };
        expect(await bindings.PROJECT.getByName(projectId).admitWallet(entry, terms)).toMatchObject({ ok: true });
        pass(PRUNE_MS);
        await runAlarm(projectId);
      }
      return [
        { type: "project.storage_high", data: { usedBytes: HIGH_BYTES, budgetBytes: 8 * GIB } },
        { type: "project.storage_recovered", data: { usedBytes: GIB } },
      ];
    },
  },
  {
    types: ["security.admin_token_refused"],
    async happen(listen) {
      await listen(await newProject());
      const app = createAdminApp({ ...createDeps(env), log: () => {} });
      const headers = { authorization: "Bearer wrong", "cf-connecting-ip": "192.0.2.7" };
      for (let tries = 0; tries < 20; tries++) await app.request("/projects", { headers }, env);
      return [{ type: "security.admin_token_refused", data: { source: "192.0.2.7" } }];
    },
  },
  {
    types: ["security.service_secret_mismatch"],
    async happen(listen) {
      await listen(await newProject());
      const secret = { secret: "MASTER_KEYS", version: 9 } as const;
      const compare = async (value: string) => (await directory().compareSecrets([{ ...secret, value }])).wrong;
      expect(await compare("first")).toEqual([]);
      for (let times = 0; times < 2; times++) expect(await compare("another")).toEqual([secret]);
      expect(await compare("first")).toEqual([]);
      return [{ type: "security.service_secret_mismatch", data: secret }];
    },
  },
  {
    types: ["node.unhealthy", "node.recovered"],
    async happen(listen) {
      const projectId = await inUse(listen);
      await nodeDown();
      await checkNodes(3);
      await untilTaken(projectId);
      await clearFaults();
      await checkNodes(2);
      return [
        { type: "node.unhealthy", data: { ...node, cause: expect.any(String) } },
        { type: "node.recovered", data: node },
      ];
    },
  },
  {
    types: ["node.newer_protocol"],
    async happen(listen) {
      await inUse(listen);
      const newer = alteration("LedgerService/GetEpoch", GrpcTypes.GetEpochResponse, ({ epoch }) => {
        if (epoch?.systemState !== undefined) epoch.systemState.protocolVersion = NEWER_PROTOCOL;
      });
      alterReplies(withOurTime, newer);
      await checkNodes(3);
      return [{ type: "node.newer_protocol", data: { ...node, protocolVersion: `${NEWER_PROTOCOL}` } }];
    },
  },
];
