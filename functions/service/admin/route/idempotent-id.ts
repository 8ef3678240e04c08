import { createHash } from "node:crypto";
import { concatBytes, lengthPrefixed } from "../../../../shared/bytes.ts";
import { sha256Base64url } from "../../../../shared/crypto/sha256.ts";
import { type IdPrefix, idOf, newId } from "./fields.ts";
import { type AdminRequest, type Answer, answer, problem } from "./route.ts";

/** The domain keeps these ids apart from every other use of the hash. */
const ID_DOMAIN = "gasworks/admin/idempotent-id/v1";

/** Refuses a repeat with another body. */
export const otherBody = problem(
  409,
  "this Idempotency-Key was used with another body: send that body, or use a new key",
);

/**
 * Returns the id of the object that a POST makes. Without an `Idempotency-Key` it is random. With one it is derived
 * from the key. A repeat, at any time, therefore reaches the object of the first request.
 *
 * The id is a plain hash of the kind, the path's project and the caller's key. No rotation may change it. A guessed id
 * opens nothing: every use of one needs the admin token or a key's secret.
 */
export function newIdOfCall(kind: IdPrefix, call: AdminRequest<unknown, unknown>): string {
  const { deps, id: projectId, idempotencyKey } = call;
  if (idempotencyKey === null) return newId(kind, deps);
  const named = concatBytes(...[ID_DOMAIN, kind, projectId, idempotencyKey].map(lengthPrefixed));
  return idOf(kind, createHash("sha256").update(named).digest());
}

/** Works as `newIdOfCall`. The project keeps the first request's body. A repeat with another body is 409. */
export async function idForCreation(kind: IdPrefix, call: AdminRequest<unknown, unknown>): Promise<Answer<string>> {
  const { env, id: projectId, sentBody, idempotencyKey } = call;
  const id = newIdOfCall(kind, call);
  if (idempotencyKey === null) return answer(id);
  const owner = env.PROJECT.getByName(kind === "prj" ? id : projectId);
  return (await owner.claimCreation(id, fingerprintOf(sentBody))) ? answer(id) : otherBody;
}

/** Hashes a JSON value, independent of the order of its fields. */
function fingerprintOf(body: unknown): string {
  const canonical = JSON.stringify(body, (_name, value: unknown) => (isObject(value) ? sorted(value) : value));
  return sha256Base64url(canonical);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
