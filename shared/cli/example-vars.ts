import { EXAMPLE_ISSUER } from "../access/example-issuer.ts";
import type { Variables } from "./platform.ts";

/**
 * Returns the variables that turn the example page on, at this address. Returns none if the author of the secrets has
 * turned it off, or has users of their own.
 */
export function exampleVars({ EXAMPLE, JWT_ISSUER, FLOWS_SECRET, FLOWS_ORIGINS }: Variables, url: string): Variables {
  if ((EXAMPLE ?? "on") !== "on" || JWT_ISSUER !== undefined || FLOWS_SECRET === undefined) return {};
  const { issuer, audience, jwksUrl } = EXAMPLE_ISSUER;
  // A browser may call this machine by either name. The origin is the name that it used.
  const origins = [url, url.replace("127.0.0.1", "localhost"), FLOWS_ORIGINS ?? ""];
  return {
    EXAMPLE: "on",
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: audience,
    JWT_JWKS_URL: jwksUrl,
    FLOWS_ORIGINS: origins.join(" "),
  };
}
