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

/** The parsed variables and secrets of the workflows. */
export interface FlowsConfig {
  /** Authenticates the app's own back end, which then names its user in `X-User-Id`. Null if no back end calls. */
  readonly callerSecret: string | null;
  /** The issuer whose tokens authenticate users who call directly. Null if no user does. */
  readonly jwt: JwtConfig | null;
  /** Pages that may call with a user's token: exact origins, `https://app.example.com`. */
  readonly origins: readonly string[];
  /** The access key that the workflows use on each chain. Null if the chain is not configured. */
  readonly accessKeys: Readonly<Record<Chain, string | null>>;
  /** The source of the secrets of the app's wallets, 32 bytes. Null if the workflows have no wallets. */
  readonly secret: Uint8Array | null;
  /** The address of the service. Null if it runs in this process. */
  readonly baseUrl: string | null;
  /** Signing secrets of senders of webhooks, by the webhook's name. There are several during a replacement. */
  readonly webhookSecrets: ReadonlyMap<string, readonly Uint8Array[]>;
}

const JWT_VARIABLES = ["JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL"] as const;

/**
 * The JWKS host decides which users are admitted. So it must be a public name, reached by an encrypted connection. A
 * local issuer needs neither.
 */
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
      `JWT_ISSUER must not be ${BACK_END_ISSUER}: it names your back end's users, so set your provider's issuer`,
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

/** Browsers send the exact origin of a page. A text that is no host name matches none. */
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
      `FLOWS_ORIGINS: ${impossible} would match no page, because origins have no wildcards: name each origin`,
    );
  return origins;
}

/** Variables without meaning if the workflows are not mounted. FLOWS_SECRET may be set before they are. */
const OF_THE_WORKFLOWS = ["FLOWS_BASE_URL", "FLOWS_ORIGINS", "WEBHOOK_SECRETS"] as const;

/** Reads the configuration of the workflows. Null if they are not configured. */
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
  const needed = `FLOWS_CALLER_SECRET or ${JWT_VARIABLES.join(", ")}, together with FLOWS_SUI_KEY, FLOWS_APTOS_KEY, or both`;
  if (!hasCaller && !hasKey) {
    const unheeded = OF_THE_WORKFLOWS.find((name) => text(name) !== undefined);
    if (unheeded !== undefined)
      throw new ConfigError(`${unheeded} has no effect without the workflows: unset it, or set ${needed}`);
    return null;
  }
  if (!hasCaller || !hasKey) throw new ConfigError(`the workflows need more: set ${needed}`);
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

/** Reads the senders' secrets by webhook name. */
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
