import * as z from "zod";
import { createExampleIssuer, EXAMPLE_ISSUER } from "../../shared/access/example-issuer.ts";
import type { Deps } from "../../shared/bindings/deps.ts";
import type { AptosFound } from "../../shared/chain/aptos/node.ts";
import type { ExampleConfig } from "../../shared/config/config.ts";
import { type AppEnv, jsonError } from "../../shared/http/app.ts";
import { Hono } from "../../shared/http/hono.ts";
import { readBoundedText } from "../../shared/rpc/json.ts";

const MAX_BODY_BYTES = 1_024;

/** The headers that restrict the page: it may only call its own origin. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

const FILES = [
  { path: "/example", file: "index.html", type: "text/html; charset=utf-8" },
  { path: "/example/page.css", file: "page.css", type: "text/css; charset=utf-8" },
  { path: "/example/page.js", file: "page.js", type: "text/javascript; charset=utf-8" },
  { path: "/example/icon.svg", file: "icon.svg", type: "image/svg+xml" },
] as const;

const NAME_FORM = "name: 1 to 40 letters, digits, dots, dashes or spaces";
const signInSchema = z.strictObject({
  name: z
    .string(NAME_FORM)
    .trim()
    .normalize("NFC")
    .toLowerCase()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._-]{0,39}$/u, NAME_FORM),
});

async function readJson(request: Request): Promise<unknown> {
  try {
    const text = await readBoundedText(request.body, MAX_BODY_BYTES);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Answers with a file of the page. The bundle holds none of them: the commands bind the page's directory. */
async function fileOf(page: Pick<Fetcher, "fetch"> | undefined, file: string, type: string): Promise<Response> {
  const found = await page?.fetch(`https://example-page/${file}`);
  if (!found?.ok)
    return jsonError(404, "not_found", "this build does not contain the example page: run npm start, which serves it");
  return new Response(found.body, { headers: { ...PAGE_HEADERS, "content-type": type } });
}

/**
 * Creates the example: a page, and the issuer that its users sign in with. The issuer accepts any name without proof.
 * It therefore runs with access keys of development chains only (`shared/config/config.ts`). An app puts its own issuer
 * here.
 *
 * @param page has the page's files. Without it, their paths answer 404.
 */
export function createExampleApp(
  { clock, aptosNode }: Deps,
  { secret }: ExampleConfig,
  page: Pick<Fetcher, "fetch"> | undefined,
): Hono<AppEnv> {
  const issuer = createExampleIssuer(secret);
  const app = new Hono<AppEnv>();
  for (const { path, file, type } of FILES) app.get(path, () => fileOf(page, file, type));
  app.get("/example/jwks.json", async () => Response.json(await issuer.keySet()));
  app.post("/example/sign-in", async (c) => {
    const body = signInSchema.safeParse(await readJson(c.req.raw));
    if (!body.success) return jsonError(400, "bad_request", body.error.issues[0]?.message ?? NAME_FORM);
    const { name } = body.data;
    const issued = await issuer.issue(name, clock.nowMs());
    return Response.json({ name, ...issued }, { headers: { "cache-control": "no-store" } });
  });
  app.get("/example/executed", async (c) => {
    const hash = hashSchema.safeParse(c.req.query("hash"));
    if (!hash.success) return jsonError(400, "bad_request", "hash must be 0x and 64 hex digits");
    const looked = await aptosNode("APTOS_LOCALNET").lookUp(hash.data);
    if (!looked.ok) return jsonError(503, "node_unavailable", looked.error.details);
    return Response.json(executionShown(looked.value.value));
  });
  return app;
}

const hashSchema = z.string().regex(/^0x[0-9a-f]{64}$/);

/**
 * Builds the answer to a look-up. `sponsor-and-execute` answers as soon as a node has an Aptos transaction. A caller
 * that needs more looks it up.
 */
function executionShown(found: AptosFound): object {
  if (found.kind !== "committed") return { status: "pending" };
  const { success, vmStatus, gasUsedUnits, gasUnitPriceOctas } = found.execution;
  const gasOctas = (gasUsedUnits * gasUnitPriceOctas).toString();
  return { status: success ? "success" : "failure", vmStatus, gasOctas };
}

/**
 * Builds the dependencies of the workflows while the example is on. The name of its issuer has no host, so the example
 * itself serves its keys. Tokens are verified as those of every other issuer.
 */
export function withExampleIssuer(deps: Deps, example: Hono<AppEnv>): Deps {
  const issuerOrigin = new URL(EXAMPLE_ISSUER.jwksUrl).origin;
  return {
    ...deps,
    fetch: async (input, init) => {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      return origin === issuerOrigin ? example.request(input, init) : deps.fetch(input, init);
    },
  };
}
