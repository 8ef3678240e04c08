import * as z from "zod";
import { serviceMasterKeys } from "../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../shared/bindings/directory.ts";
import type { AuditEntry } from "../../../shared/bindings/project.ts";
import { checkedSecrets } from "../../../shared/crypto/key-check.ts";
import { secretsVerdict } from "../../../shared/directory/right-secrets.ts";
import type { Page } from "../../../shared/paging.ts";
import { type MasterKeyUsage, masterKeyProgress } from "../../../shared/project/master-key-usage.ts";
import { auditEntry } from "./route/audit.ts";
import { MAX_PAGE_OF_OBJECTS } from "./route/fields.ts";
import { type AdminRequest, answer, noBody, noQuery, type Route, route } from "./route/route.ts";

const secretVersion = z.object({ secret: z.enum(checkedSecrets), version: z.int() });

/** The schema of the state of the secrets. */
export const masterKeySchema = z.object({
  current: z.int().describe("the highest version in MASTER_KEYS, under which everything new is sealed"),
  remaining: z.int().describe("sealed keys that still need an older version. At 0, older versions can go"),
  failing: z
    .int()
    .describe("the remaining keys that could not be re-sealed: the log has project.reseal_failed for each"),
  wrong: z
    .array(secretVersion)
    .readonly()
    .describe("secrets that differ from those that were used first: nothing is sealed or opened until they are back"),
  undecided: z
    .array(secretVersion)
    .readonly()
    .describe(
      "secrets without a check value yet. Under such a master key nothing new is sealed; records that open are served",
    ),
  checks: z
    .array(secretVersion.extend({ value: z.string() }))
    .readonly()
    .describe("16 bytes of HKDF-SHA-256 of each used secret: they show whether two secrets are the same"),
  unopenable: z.int().describe("sealed keys that need a newer version than any in MASTER_KEYS: put it back"),
});

async function progress(
  { env, deps }: AdminRequest<unknown, unknown>,
  reseal: ((masterKeyVersion: number) => AuditEntry) | null,
): Promise<z.input<typeof masterKeySchema>> {
  const masterKeys = serviceMasterKeys(deps);
  const entry = reseal?.(masterKeys.current) ?? null;
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  const uses: MasterKeyUsage[] = [];
  for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
    const request = { limit: MAX_PAGE_OF_OBJECTS, cursor };
    const page: Page<MasterKeyUsage> = await (entry === null
      ? directory.masterKeyUsage(request)
      : directory.startReseal(request, entry));
    uses.push(...page.items);
    cursor = page.nextCursor;
  }
  return {
    ...masterKeyProgress(uses, masterKeys),
    ...(await secretsVerdict(env, deps, checkedSecrets)),
    checks: await directory.secretChecks(),
  };
}

/** The routes that replace the master key: add a new version, seal everything under it, and remove the old one. */
export const masterKeyRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/master-key",
    summary: "Read how many sealed keys are under the current master key",
    resource: null,
    body: noBody,
    query: noQuery,
    result: masterKeySchema,
    status: 200,
    handle: async (call) => answer(await progress(call, null)),
  }),
  route({
    method: "POST",
    path: "/master-key/rewrap",
    summary: "Re-seal every sealed key under the current master key. It continues by itself; a repeat does no harm",
    resource: null,
    body: noBody,
    query: noQuery,
    result: masterKeySchema,
    status: 202,
    handle: async (call) =>
      answer(
        await progress(call, (current) =>
          auditEntry(call.actor, "master_key.rewrap", "master key", { masterKeyVersion: current }),
        ),
      ),
  }),
];
