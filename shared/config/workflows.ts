import * as z from "zod";
import type { JwtConfig } from "../access/jwt.ts";
import type { Chain } from "../networks.ts";
import { parseSecret } from "../webhooks/sign.ts";
import { BACK_END_ISSUER } from "../workflow/wallet-clients.ts";
import { ConfigError } from "./error.ts";
import { urlSchema } from "./nodes.ts";
import { flowsSecret, TOKEN, TOKEN_FORM } from "./secrets.ts";

/** The variables with the access keys that the workflows use on each chain. */
export const FLOWS_KEY_VARIABLES: Readonly<Record<Chain, string>> = {
  sui: "FLOWS_SUI_KEY",
  aptos: "FLOWS_APTOS_KEY",
};

export interface FlowsConfig {
  /** Authenticates the app's own back end, which then names its user in `X-User-Id`. Null: no back end calls. */
  readonly callerSecret: string | null;
  /** Whose tokens authenticate users who call by themselves. Null: no user does. */
  readonly jwt: JwtConfig | null;
  /** Pages that may call with a user's token: exact origins, `https://app.example.com`. */
  readonly origins: readonly string[];
  /** The access key that the workflows use on each chain; null: the chain is not configured. */
  readonly accessKeys: Readonly<Record<Chain, string | null>>;
  /** What the secrets of the app's wallets are made from, 32 bytes; null: the workflows have no wallets. */
  readonly secret: Uint8Array | null;
  /** Where the service answers; null: in this process. */
  readonly baseUrl: string | null;
  /** What senders of webhooks sign with, by the webhook's name: several while one is being replaced. */
  readonly webhookSecrets: ReadonlyMap<string, readonly Uint8Array[]>;
}

const JWT_VARIABLES = ["JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL"] as const;

/** Whoever answers for this name decides who is let in: encrypted, and a public name. A local issuer needs neither. */
const jwksUrlSchema = z.union([
  z.url({ protocol: /^https$/, hostname: z.regexes.domain }),
  z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1|\[::1\])$/ }),
]);

function jwtConfig(text: (name: string) => string | undefined): JwtConfig | null {
  const issuer = text("JWT_ISSUER");
  const audience = text("JWT_AUDIENCE");
  const jwksUrl = text("JWT_JWKS_URL");
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return null;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined)
    throw new ConfigError(`${JWT_VARIABLES.join(", ")} belong together: set all of them, or none`);
  if (issuer === BACK_END_ISSUER)
    throw new ConfigError(
      `JWT_ISSUER must not be ${BACK_END_ISSUER}: its users would have the wallets of your back end's`,
    );
  if (!jwksUrlSchema.safeParse(jwksUrl).success)
    throw new ConfigError(
      "JWT_JWKS_URL must be an https URL with a host name, as the issuer's discovery document has it, or http on localhost",
    );
  return { issuer, audience, jwksUrl };
}

const MAX_ORIGINS = 20;

function isOrigin(text: string): boolean {
  return urlSchema.safeParse(text).success && new URL(text).origin === text;
}

/** Browsers send what a page's origin is, to the letter: what is no host name matches none. */
const NO_HOST = /[^a-z0-9.:/[\]-]/;

function flowsOrigins(text: string | undefined): readonly string[] {
  const origins = (text ?? "").split(/\s+/).filter((origin) => origin !== "");
  if (origins.length > MAX_ORIGINS || !origins.every(isOrigin))
    throw new ConfigError(
      `FLOWS_ORIGINS must be at most ${MAX_ORIGINS} origins like https://app.example.com, without a path, separated by spaces`,
    );
  const impossible = origins.find((origin) => NO_HOST.test(origin));
  if (impossible !== undefined)
    throw new ConfigError(
      `FLOWS_ORIGINS: ${impossible} would match no page: origins have no wildcards, so name each of them`,
    );
  return origins;
}

/** Mean nothing where the workflows are not mounted. FLOWS_SECRET may be there before they are. */
const OF_THE_WORKFLOWS = ["FLOWS_BASE_URL", "FLOWS_ORIGINS", "WEBHOOK_SECRETS"] as const;

export function flowsConfig(text: (name: string) => string | undefined, withService: boolean): FlowsConfig | null {
  const callerSecret = text("FLOWS_CALLER_SECRET") ?? null;
  const jwt = jwtConfig(text);
  const accessKeys = {
    sui: text("FLOWS_SUI_KEY") ?? null,
    aptos: text("FLOWS_APTOS_KEY") ?? null,
  };
  const baseUrl = text("FLOWS_BASE_URL") ?? null;
  const hasKey = accessKeys.sui !== null || accessKeys.aptos !== null;
  const hasCaller = callerSecret !== null || jwt !== null;
  const origins = flowsOrigins(text("FLOWS_ORIGINS"));
  const secret = flowsSecret(text("FLOWS_SECRET"));
  const needs = `the workflows need FLOWS_CALLER_SECRET or ${JWT_VARIABLES.join(", ")}, together with FLOWS_SUI_KEY, FLOWS_APTOS_KEY, or both`;
  if (!hasCaller && !hasKey) {
    const unheeded = OF_THE_WORKFLOWS.find((name) => text(name) !== undefined);
    if (unheeded !== undefined) throw new ConfigError(`${unheeded} is set, and ${needs}`);
    return null;
  }
  if (!hasCaller || !hasKey) throw new ConfigError(needs);
  if (callerSecret !== null && !TOKEN.test(callerSecret))
    throw new ConfigError(`FLOWS_CALLER_SECRET must have ${TOKEN_FORM}`);
  if (origins.length > 0 && jwt === null)
    throw new ConfigError(`FLOWS_ORIGINS needs ${JWT_VARIABLES.join(", ")}: pages call with their users' tokens`);
  if (baseUrl !== null && !urlSchema.safeParse(baseUrl).success)
    throw new ConfigError("FLOWS_BASE_URL must be the http(s) URL of the service");
  if (baseUrl === null && !withService)
    throw new ConfigError(
      "FLOWS_BASE_URL missing: without the service's secrets the workflows need the URL of a service",
    );
  const webhooks = webhookSecrets(text("WEBHOOK_SECRETS"));
  return {
    callerSecret,
    jwt,
    origins,
    accessKeys,
    secret,
    baseUrl: baseUrl?.replace(/\/+$/, "") ?? null,
    webhookSecrets: webhooks,
  };
}

const MAX_WEBHOOK_SECRETS = 40;

export function webhookSecrets(text: string | undefined): ReadonlyMap<string, readonly Uint8Array[]> {
  const byName = new Map<string, readonly Uint8Array[]>();
  const entries = text?.split(/\s+/) ?? [];
  for (const entry of entries) {
    const [, name, secret = ""] = /^([a-z0-9-]{1,64})=(whsec_\S+)$/.exec(entry) ?? [];
    const bytes = parseSecret(secret);
    if (name === undefined || bytes === null || entries.length > MAX_WEBHOOK_SECRETS)
      throw new ConfigError(
        `WEBHOOK_SECRETS must be at most ${MAX_WEBHOOK_SECRETS} entries like users=whsec_<base64 of 24 to 64 bytes>, separated by spaces`,
      );
    byName.set(name, [...(byName.get(name) ?? []), bytes]);
  }
  return byName;
}
