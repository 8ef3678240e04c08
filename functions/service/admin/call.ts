import type { Operator, OperatorRole } from "../../../shared/bindings/operator.ts";
import { isNewerState } from "../../../shared/directory/newer-state.ts";
import { mayBeSealed, withRightKeys } from "../../../shared/directory/right-secrets.ts";
import { newerBuildText } from "../../../shared/directory/schema-versions.ts";
import { missingMethodOf, ROLL_OUT_MS } from "../../../shared/durable/missing-method.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import { refusalOfFault } from "../../../shared/rpc/faults.ts";
import { fieldsBeyond, type Permission, reaches } from "./operators/permissions.ts";
import { type AdminRequest, type Answer, problem, problemFor, type Route } from "./route/route.ts";

/** Paths that an operator may use under any keys. Every other POST seals, opens or signs. */
const TAKES_BACK = /\/(revoke|revoke-sessions)$/;
/** Paths that seal a value permanently. */
const SEALS = /\/(funds|deposit-address|webhooks|rotate-secret|rewrap)$/;

/** A call of a route by an operator, whether it came as JSON or from a form. */
export interface OperatorCall extends Omit<AdminRequest<unknown, unknown>, "sentBody"> {
  readonly operator: Operator;
}

function needs({ role }: Operator, what: string, leastRole: OperatorRole): Problem {
  return { status: 403, detail: `${what} needs the role ${leastRole}: this token's is ${role}` };
}

/** Refuses an operator whose role does not reach a route. Null if it does. */
export function roleProblem(operator: Operator, { leastRole }: Permission): Problem | null {
  return reaches(operator.role, leastRole) ? null : needs(operator, "this call", leastRole);
}

/** Calls a route as an operator. Every rule of the admin API is applied here or in the route itself. */
export async function callRoute(
  route: Route,
  permission: Permission,
  { operator, ...call }: OperatorCall,
): Promise<Answer<unknown>> {
  const { env, deps, body } = call;
  const refused = roleProblem(operator, permission);
  if (refused !== null) return { ok: false, error: refused };
  const [field] = fieldsBeyond(operator.role, permission, body);
  if (field !== undefined) return { ok: false, error: needs(operator, `the field ${field}`, "owner") };
  if (route.method === "POST" && !TAKES_BACK.test(route.path)) {
    const keys = await (SEALS.test(route.path) ? mayBeSealed : withRightKeys)(env, deps);
    if (!keys.ok)
      return keys.error.reason === "key_service" ? problemFor(keys.error) : problem(503, keys.error.details);
  }
  return route.respond({ ...call, sentBody: body });
}

/** Refuses a call that met an object of an earlier build. Of several objects some may have done their part before. */
function beingUpgraded(method: string): Problem {
  const next = method === "GET" ? "send the call again" : "read what the call has changed, then send it again";
  return {
    status: 503,
    detail: `this service is being upgraded: wait for Retry-After, ${next}`,
    retryAfterSeconds: Math.ceil(ROLL_OUT_MS / 1_000),
  };
}

/** Returns the part of a fault that an operator may see. The log has the rest. */
export function problemOfFault(error: unknown, method: string): Problem {
  if (missingMethodOf(error) !== null) return beingUpgraded(method);
  if (isNewerState(error)) return { status: 503, detail: newerBuildText([]) };
  const refusal = refusalOfFault(error);
  const temporary = refusal.reason === "internal" ? null : problemFor(refusal);
  if (temporary !== null && !temporary.ok) return temporary.error;
  return { status: 500, detail: "internal error: search the log for the x-request-id of this response" };
}
