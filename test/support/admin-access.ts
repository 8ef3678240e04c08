import { env } from "cloudflare:workers";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";

export const { adminToken } = serviceSecrets(createDeps(env));

/** The header by which the operator calls the admin API, in the runtime. */
export const authorization = `Bearer ${adminToken}`;
