import type { Context } from "hono";
import type { AppEnv } from "../../shared/http/app.ts";
import { answerAsset } from "./assets.ts";
import { answerEntry } from "./entry/entry.ts";
import { sessionOf } from "./entry/session.ts";
import type { DashboardGround } from "./ground.ts";
import { showFault } from "./render.tsx";
import { answerPage } from "./serve.tsx";

/** A page loads its own style, script and plots, and nothing else. `connect-src` is for the live numbers. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
  // A browser with no-referrer would send `Origin: null` with every form.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "DENY",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};

async function answer(c: Context<AppEnv>, ground: DashboardGround): Promise<Response> {
  const asset = answerAsset(c);
  if (asset !== null) return asset;
  try {
    const entry = await answerEntry(c, ground);
    if (entry !== null) return entry;
    return await answerPage(c, ground, await sessionOf(c, ground));
  } catch (error) {
    const { requestId } = c.var;
    const stack = error instanceof Error ? error.stack : undefined;
    ground.log("fault", { requestId, path: "/dashboard/*", error: String(error), stack });
    return showFault(c, ground.problemOfFault(error, c.req.method));
  }
}

/** Answers a visit of the dashboard. No page is ever kept by a cache: it shows money, and sometimes a secret. */
export async function answerVisit(c: Context<AppEnv>, ground: DashboardGround): Promise<Response> {
  c.res = await answer(c, ground);
  for (const [name, text] of Object.entries(HEADERS)) c.res.headers.set(name, text);
  if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
  return c.res;
}
