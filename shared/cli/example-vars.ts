import { EXAMPLE_ISSUER } from "../access/example-issuer.ts";
import type { Variables } from "./platform.ts";

/**
 * What turns the example page on, at this address. Nothing where whoever wrote the secrets has turned it off, or has
 * users of their own.
 */
export function exampleVars({ EXAMPLE, JWT_ISSUER, FLOWS_SECRET, FLOWS_ORIGINS }: Variables, url: string): Variables {
  if ((EXAMPLE ?? "on") !== "on" || JWT_ISSUER !== undefined || FLOWS_SECRET === undefined) return {};
  const { issuer, audience, jwksUrl } = EXAMPLE_ISSUER;
  // A browser calls this machine by either name, and the origin is the one that it was told.
  const origins = [url, url.replace("127.0.0.1", "localhost"), FLOWS_ORIGINS ?? ""];
  return {
    EXAMPLE: "on",
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: audience,
    JWT_JWKS_URL: jwksUrl,
    FLOWS_ORIGINS: origins.join(" "),
  };
}
