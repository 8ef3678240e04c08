import * as z from "zod";
import { hashKeySecret, KEY_SECRET_BYTES } from "../../../../shared/access/key-format.ts";
import { serviceSecrets } from "../../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import { type OperatorToken, operatorRoles } from "../../../../shared/bindings/operator.ts";
import { MAX_OPERATOR_TOKENS } from "../../../../shared/directory/operator-tokens.ts";
import { issueOperatorToken } from "../../../../shared/directory/token-format.ts";
import { auditEntry } from "../route/audit.ts";
import { instant, iso, mapPage, nameSchema, rowsQuery, token } from "../route/fields.ts";
import { newIdOfCall, otherBody } from "../route/idempotent-id.ts";
import { listRoute } from "../route/list.ts";
import { answer, noBody, noQuery, notFound, problem, type Route, route } from "../route/route.ts";

/** The schema of an operator's token. It never holds the token itself. */
export const tokenSchema = z.object({
  id: token.idSchema,
  name: z.string(),
  role: z
    .enum(operatorRoles)
    .describe(
      "viewer: reads. operator: all but keys, secrets of existing webhooks, exports and money that leaves. owner: as ADMIN_TOKEN",
    ),
  createdAt: instant,
  expiresAt: instant.describe("from then on the token opens nothing"),
});

function showToken({ createdAtMs, expiresAtMs, ...view }: OperatorToken): z.input<typeof tokenSchema> {
  return { ...view, createdAt: iso(createdAtMs), expiresAt: iso(expiresAtMs) };
}

/** The routes of operators' tokens. `ADMIN_TOKEN` is none of them: it is a secret of the deployment. */
export const tokenRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/tokens",
    summary: "Create a token for this API. The answer is the only place where the token itself is ever shown",
    resource: null,
    body: z.strictObject({ name: nameSchema, role: z.enum(operatorRoles), expiresAt: instant }),
    query: noQuery,
    result: tokenSchema.extend({
      token: z
        .string()
        .nullable()
        .describe(
          "shown this once. null: this Idempotency-Key had already made it. If that answer was lost, delete the token by its id",
        ),
    }),
    status: 201,
    idempotent: "honoured",
    handle: async (call) => {
      const { env, deps, actor, body } = call;
      const { name, role, expiresAt } = body;
      const expiresAtMs = Date.parse(expiresAt);
      if (expiresAtMs <= deps.clock.nowMs()) return problem(422, "expiresAt must be in the future");
      const id = newIdOfCall("adm", call);
      const secret = deps.randomBytes(KEY_SECRET_BYTES);
      const text = issueOperatorToken(id, secret, serviceSecrets(deps).keyPeppers);
      const created = await env.DIRECTORY.getByName(DIRECTORY_NAME).createOperatorToken(
        { id, name, role, expiresAtMs, secretHash: hashKeySecret(secret) },
        auditEntry(actor, "token.create", id, { name, role, expiresAt }),
      );
      if (created === null) return problem(422, `there are ${MAX_OPERATOR_TOKENS} tokens already: delete one`);
      if (created === "other_body") return otherBody;
      if (created === "deleted")
        return problem(409, "the token of this Idempotency-Key was deleted: use a new key to make another");
      const { isRepeat = false, ...view } = created;
      return answer({ ...showToken(view), token: isRepeat ? null : text });
    },
  }),
  listRoute({
    path: "/tokens",
    summary: "List the tokens of this API, those that have ended included",
    resource: null,
    query: rowsQuery,
    item: tokenSchema,
    handle: async ({ env, query }) =>
      answer(mapPage(await env.DIRECTORY.getByName(DIRECTORY_NAME).operatorTokens(query), showToken)),
  }),
  route({
    method: "DELETE",
    path: "/tokens/:id",
    summary: "Delete a token, from the next call. The answer shows it as it was",
    resource: token,
    body: noBody,
    query: noQuery,
    result: tokenSchema,
    status: 200,
    handle: async ({ env, actor, id }) => {
      const entry = auditEntry(actor, "token.delete", id, {});
      const deleted = await env.DIRECTORY.getByName(DIRECTORY_NAME).deleteOperatorToken(id, entry);
      return deleted === null ? notFound("token") : answer(showToken(deleted));
    },
  }),
];
