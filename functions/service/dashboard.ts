import type { Deps } from "../../shared/bindings/deps.ts";
import { serviceMasterKeys } from "../../shared/bindings/deps.ts";
import { utf8 } from "../../shared/bytes.ts";
import { nullIfUnopened } from "../../shared/crypto/key-service.ts";
import { masterKeyOf, openBytes, sealBytes } from "../../shared/crypto/sealing.ts";
import { sha256Base64url } from "../../shared/crypto/sha256.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { bearerOf, equalTexts } from "../../shared/http/bearer.ts";
import { callerAddress } from "../../shared/http/caller-address.ts";
import { Hono } from "../../shared/http/hono.ts";
import { isFromPage } from "../../shared/http/origin.ts";
import { readRequestText } from "../../shared/rpc/json.ts";
import type { DashboardGround } from "../dashboard/ground.ts";
import { callRoute, problemOfFault } from "./admin/call.ts";
import type { OperatorAdmission } from "./admin/operators/admission.ts";
import { actorOf } from "./admin/operators/authenticate.ts";
import { permissionOf, reaches } from "./admin/operators/permissions.ts";
import { routes } from "./admin/routes.ts";

/** The path of the dashboard. */
export const DASHBOARD_PATH = "/dashboard";

/** A label of its own: no other sealed value opens as a session. */
const SESSION_SEAL = { label: "dashboard-session", boundTo: utf8(DASHBOARD_PATH) };

const routeByName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));

function routeOf(name: string) {
  const route = routeByName.get(name);
  if (route === undefined) throw new Error(`the admin API has no route ${name}`);
  return route;
}

/**
 * Gives the dashboard the parts of the service that it needs. The dashboard imports none of them, so that its module
 * alone is loaded at the first visit.
 */
function groundOf(deps: Deps, admission: OperatorAdmission): DashboardGround {
  return {
    clock: deps.clock,
    log: deps.log,
    randomBytes: deps.randomBytes,
    config: deps.config,
    credentialOf: (token) => admission.credentialOf(token),
    holderOf: (env, credential) => admission.holderOf(env, credential),
    countWrong: (env, source) => admission.countWrong(env, source),
    requireMasterKey: async () => {
      const masterKeys = serviceMasterKeys(deps);
      await masterKeyOf(masterKeys, masterKeys.current);
    },
    seal: (bytes) => sealBytes(bytes, serviceMasterKeys(deps), SESSION_SEAL, deps.randomBytes),
    open: (sealed) => openBytes(sealed, serviceMasterKeys(deps), SESSION_SEAL).catch(nullIfUnopened),
    hash: sha256Base64url,
    equalTexts,
    sourceOf: callerAddress,
    bearerOf,
    isFromPage,
    readText: readRequestText,
    problemOfFault,
    mayCall: ({ role }, name) => reaches(role, permissionOf(routeOf(name)).leastRole),
    maySend: ({ role }, name, field) => role === "owner" || !permissionOf(routeOf(name)).ownerFields.includes(field),
    call: ({ env, operator, headers }, name, { id = "", partId = "", body, query = {}, idempotencyKey = null }) => {
      const route = routeOf(name);
      const actor = actorOf(operator, headers);
      const call = { env, deps, operator, actor, id, partId, body, query, idempotencyKey, ofWholeList: false };
      return callRoute(route, permissionOf(route), call);
    },
  };
}

/** Creates the dashboard, to be mounted at `DASHBOARD_PATH`. Its module is loaded at the first visit. */
export function createDashboardApp(deps: Deps, admission: OperatorAdmission): Hono<AppEnv> {
  const ground = groundOf(deps, admission);
  const app = new Hono<AppEnv>();
  app.all("*", async (c) => {
    const { answerVisit } = await import("../dashboard/index.ts");
    return answerVisit(c, ground);
  });
  return app;
}
