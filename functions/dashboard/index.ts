import type { Context } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "../../shared/http/app.ts";
import { answerAsset } from "./assets.ts";
import { answerEntry } from "./entry/entry.ts";
import { sessionOf } from "./entry/session.ts";
import type { DashboardGround } from "./ground.ts";
import { showFault } from "./render.tsx";
import { answerPage } from "./serve.tsx";

/** A page loads its own style, script and plots, and nothing else. `connect-src` is for the live numbers. */
const withHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    imgSrc: ["'self'", "data:"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
  xFrameOptions: "DENY",
  // A browser with no-referrer would send `Origin: null` with every form.
  referrerPolicy: "same-origin",
  crossOriginResourcePolicy: "same-origin",
  crossOriginOpenerPolicy: "same-origin",
  strictTransportSecurity: false,
  permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [] },
});

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
  await withHeaders(c, async () => {
    c.res = await answer(c, ground);
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
  });
  return c.res;
}
