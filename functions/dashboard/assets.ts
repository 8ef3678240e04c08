import type { Context } from "hono";
import type { AppEnv } from "../../shared/http/app.ts";
import { DASHBOARD } from "./paths.ts";
import { script } from "./script.ts";
import { style } from "./style/style.ts";

const FOLDER = `${DASHBOARD}/assets/`;
const HASH_CHARACTERS = 12;

interface Asset {
  readonly path: string;
  readonly text: string;
  readonly type: string;
}

/** FNV-1a, 64 bits: it names a version of a file, and proves nothing. */
function versionOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0").slice(0, HASH_CHARACTERS);
}

function asset(name: string, ending: string, text: string, type: string): Asset {
  return { path: `${FOLDER}${name}-${versionOf(text)}.${ending}`, text, type };
}

/** The style of every page. Its name contains its hash, so that browsers keep it permanently. */
export const STYLE = asset("style", "css", style, "text/css; charset=utf-8");
/** The script of every page. No page needs it. */
export const SCRIPT = asset("script", "js", script, "text/javascript; charset=utf-8");

/** The `Link` header of every page: a browser asks for both files before it has read the page. */
export const PRELOADS = `<${STYLE.path}>; rel=preload; as=style, <${SCRIPT.path}>; rel=preload; as=script`;

/** Answers with a file that belongs to the pages. Null if the path names none. It needs no session. */
export function answerAsset(c: Context<AppEnv>): Response | null {
  const found = [STYLE, SCRIPT].find(({ path }) => path === c.req.path);
  if (found === undefined) return null;
  return c.body(found.text, 200, {
    "content-type": found.type,
    "cache-control": "public, max-age=31536000, immutable",
  });
}
