import * as z from "zod";
import { hashKeySecret, issueAccessKey, KEY_SECRET_BYTES } from "../../../../shared/access/key-format.ts";
import {
  keyStatuses,
  newKeyProblem,
  newLimitsSchema,
  rightsSchema,
  SESSIONS_PER_SECOND,
} from "../../../../shared/access/record.ts";
import type { ShownAccessKey } from "../../../../shared/bindings/access-key.ts";
import { serviceSecrets } from "../../../../shared/bindings/deps.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import { chainOf, networkSchema } from "../../../../shared/networks.ts";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import {
  newPolicySchema,
  patchPolicy,
  policyPatchSchema,
  showPolicy,
} from "../../../../shared/policy/policy-schema.ts";
import { auditEntry, audited } from "../route/audit.ts";
import { fund, hasField, key, mapPage, NO_FIELD, nameSchema, objectsQuery, project } from "../route/fields.ts";
import { optional } from "../route/filters.ts";
import { idForCreation } from "../route/idempotent-id.ts";
import { listRoute, readEach } from "../route/list.ts";
import { answer, noBody, noQuery, notFound, problem, type Route, route } from "../route/route.ts";
import { keySchema, showKey } from "../schemas.ts";
import { keyRefusalsRoute } from "./refusals.ts";

const DEFAULT_LIMITS = { qps: 100, cups: 1000 };

/**
 * No repeat shows a key again: only its hash is stored. A key could be derived again from the `Idempotency-Key` and a
 * secret of the service. It would then be open to anyone who gets both at any later time.
 */
const newKeySchema = z
  .string()
  .nullable()
  .describe(
    "shown this once. null: this Idempotency-Key had already made the key. If that answer was lost, disable this key and make one with another Idempotency-Key",
  );

async function listedKey(env: Env, keyId: string): Promise<ShownAccessKey> {
  const view = await env.ACCESS_KEY.getByName(keyId).view();
  if (view === null) throw new Error(`${keyId} is listed and does not exist`);
  return view;
}

/** The routes of access keys. */
export const keyRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/projects/:id/keys",
    summary: "Create an access key. The answer is the only place where the key itself is ever shown",
    resource: project,
    body: z.strictObject({
      name: nameSchema,
      network: networkSchema,
      rights: rightsSchema,
      fundId: fund.idSchema.nullable().default(null),
      limits: newLimitsSchema.default(DEFAULT_LIMITS),
      policy: newPolicySchema,
    }),
    query: noQuery,
    result: keySchema.extend({ key: newKeySchema }),
    status: 201,
    idempotent: "honoured",
    handle: async (call) => {
      const { env, actor, deps, id, body } = call;
      const owner = env.PROJECT.getByName(id);
      const terms = await owner.derivationTerms();
      if (terms === null) return notFound("project");
      const refusal = newKeyProblem(body, body.fundId === null ? null : await owner.fundNetwork(body.fundId));
      if (refusal !== null) return problem(422, refusal);
      const named = await idForCreation("key", call);
      if (!named.ok) return named;
      const keyId = named.value;
      const secret = deps.randomBytes(KEY_SECRET_BYTES);
      const { region } = deps.config;
      const text = issueAccessKey({ region, network: body.network, keyId, secret }, serviceSecrets(deps).keyPeppers);
      const policy = patchPolicy(defaultKeyPolicy(chainOf(body.network)), body.policy);
      const limits = { sessionsPerSecond: SESSIONS_PER_SECOND[terms.derivation], ...body.limits };
      const record = { keyId, projectId: id, ...body, limits, policy, secretHash: hashKeySecret(secret) };
      const created = env.ACCESS_KEY.getByName(keyId);
      const { view, secretIsRecorded } = await created.create(record);
      const member = { kind: "key", id: keyId, network: body.network } as const;
      const entry = auditEntry(actor, "key.create", keyId, { ...body, limits, policy: showPolicy(policy) });
      const { sessionEpoch } = await owner.addResource(member, entry);
      await created.acknowledgeSessionEpoch(sessionEpoch);
      return answer({ ...showKey(view), key: secretIsRecorded ? text : null });
    },
  }),
  listRoute({
    path: "/projects/:id/keys",
    summary: "List the access keys of a project",
    resource: project,
    query: objectsQuery.extend({
      network: optional(networkSchema),
      status: optional(z.enum(keyStatuses)),
      fundId: optional(fund.idSchema),
    }),
    item: keySchema,
    ofObjects: true,
    handle: async ({ env, deps, id, query: { limit, cursor, network, status, fundId } }) => {
      const page = await env.PROJECT.getByName(id).resources("key", { limit, cursor });
      if (page === null) return notFound("project");
      const read = await readEach(page, deps, (keyId) => listedKey(env, keyId));
      const items = read.items.filter(
        (each) =>
          (network === null || each.network === network) &&
          (status === null || each.status === status) &&
          (fundId === null || each.fundId === fundId),
      );
      return answer(mapPage({ ...read, items }, showKey));
    },
  }),
  route({
    method: "GET",
    path: "/keys/:id",
    summary: "Read an access key's settings",
    resource: key,
    body: noBody,
    query: noQuery,
    result: keySchema,
    status: 200,
    handle: async ({ env, id }) => {
      const view = await env.ACCESS_KEY.getByName(id).view();
      return view === null ? notFound("key") : answer(showKey(view));
    },
  }),
  keyRefusalsRoute,
  route({
    method: "PATCH",
    path: "/keys/:id",
    summary: "Change an access key, from the next call",
    resource: key,
    body: z
      .strictObject({
        name: nameSchema.exactOptional(),
        status: z.enum(keyStatuses).exactOptional(),
        rights: rightsSchema.exactOptional(),
        limits: newLimitsSchema.exactOptional(),
        policy: policyPatchSchema.refine(hasField, NO_FIELD).exactOptional(),
      })
      .refine(hasField, NO_FIELD),
    query: noQuery,
    result: keySchema,
    status: 200,
    handle: async ({ env, actor, id, body }) => {
      const object = env.ACCESS_KEY.getByName(id);
      const current = await object.view();
      if (current === null) return notFound("key");
      return audited(env, current.projectId, auditEntry(actor, "key.update", id, body), async () => {
        // The fund comes first, so that it does not refuse a key that is active again.
        if (body.status === "active" && current.fundId !== null)
          await env.FUND.getByName(current.fundId).unrevokeKey(id);
        const updated = await object.update(body);
        if (updated === null) return notFound("key");
        return updated.ok ? answer(showKey(updated.value)) : problem(422, updated.error.details);
      });
    },
  }),
];
