import { Buffer } from "node:buffer";
import type { Context } from "hono";
import type { AppEnv } from "../../../shared/http/app.ts";
import type { DashboardGround } from "../ground.ts";
import { DASHBOARD, pathTo, withQuery } from "../paths.ts";
import { showEntry } from "../render.tsx";
import { readFields, readForm } from "./form.ts";
import { type EntryNote, entryNote } from "./page.tsx";
import { beginSession, directoryOf, endSession, losesSession, sessionOf } from "./session.ts";

const LOGIN = pathTo("login");
const LOGOUT = pathTo("logout");
const LINK = pathTo("link");
const ENTER = pathTo("enter");
const CODE = /^[0-9A-Za-z_-]{43}$/;
const CODE_BYTES = 32;
/** Long enough to open a terminal's link in a browser. */
const LINK_MS = 10 * 60_000;
const MAX_TOKEN_CHARACTERS = 500;

/** Returns the path of the log-in, which returns the visitor to this page afterwards. */
export function enterPath(url: string | null): string {
  const { pathname = DASHBOARD, search = "" } = url === null ? {} : new URL(url);
  const to = pathname + search;
  return withQuery(LOGIN, { to: to === DASHBOARD ? null : to });
}

/** The path of the log-in for a visitor whose form came after the end of the session. */
export const UNSENT_PATH = withQuery(LOGIN, { done: "unsent" satisfies EntryNote });

/** Accepts a page of the dashboard only, so that a link to the log-in leads nowhere else. */
function ownPath(to: string | null | undefined, origin: string): string {
  if (!to?.startsWith(DASHBOARD) || !URL.canParse(to, origin)) return DASHBOARD;
  const url = new URL(to, origin);
  const isOwn = url.origin === origin && (url.pathname === DASHBOARD || url.pathname.startsWith(`${DASHBOARD}/`));
  return isOwn ? url.pathname + url.search : DASHBOARD;
}

/** Counts a wrong token or code. @returns the seconds that its source has to wait. 0 if it has not to. */
async function secondsToWait(c: Context<AppEnv>, ground: DashboardGround): Promise<number> {
  return Math.ceil((await ground.countWrong(c.env, ground.sourceOf(c.req.raw.headers))) / 1_000);
}

function showSlowed(c: Context<AppEnv>, to: string, seconds: number): Promise<Response> {
  const fault = `Too many wrong tokens came from here. Wait ${seconds} s, then send the right one.`;
  return showEntry(c, { kind: "login", to, fault }, 429, { "retry-after": String(seconds) });
}

async function logIn(c: Context<AppEnv>, ground: DashboardGround): Promise<Response> {
  const fields = await readFields(c, ground);
  if (!fields.ok)
    return showEntry(c, { kind: "login", to: DASHBOARD, fault: fields.error.detail }, fields.error.status);
  const to = ownPath(fields.value.get("to"), new URL(c.req.url).origin);
  // The page of the log-in then names the next step.
  if (losesSession(c.req.raw)) return showEntry(c, { kind: "login", to }, 403);
  const token = (fields.value.get("token") ?? "").trim();
  const credential = token.length > MAX_TOKEN_CHARACTERS ? null : ground.credentialOf(token);
  const operator = credential && (await ground.holderOf(c.env, credential));
  if (credential === null || operator === null) {
    const seconds = token === "" ? 0 : await secondsToWait(c, ground);
    if (seconds > 0) return showSlowed(c, to, seconds);
    const fault =
      token === "" ? "Enter a token." : "This token is wrong, or it has ended. Check that you copied all of it.";
    return showEntry(c, { kind: "login", to, fault }, token === "" ? 400 : 401);
  }
  await beginSession(c, ground, credential);
  return c.redirect(to, 303);
}

/** Logs in by a one-time link. The visitor sends a form, so no program that previews links uses it up. */
async function useLink(c: Context<AppEnv>, ground: DashboardGround, code: string): Promise<Response> {
  const fields = await readFields(c, ground);
  if (!fields.ok)
    return showEntry(c, { kind: "login", to: DASHBOARD, fault: fields.error.detail }, fields.error.status);
  if (losesSession(c.req.raw)) return showEntry(c, { kind: "link", path: c.req.path }, 403);
  // The session of the link is sealed after the link is used up.
  await ground.requireMasterKey();
  const taken = CODE.test(code) ? await directoryOf(c.env).takeDashboardLink(ground.hash(code)) : null;
  if (taken === null || (await ground.holderOf(c.env, taken)) === null) {
    const seconds = await secondsToWait(c, ground);
    if (seconds > 0) return showSlowed(c, DASHBOARD, seconds);
    const fault = "This link was used before, or it has ended. Log in with a token, or make a new link.";
    return showEntry(c, { kind: "login", to: DASHBOARD, fault }, 401);
  }
  await beginSession(c, ground, taken);
  return c.redirect(DASHBOARD, 303);
}

/** Makes a one-time link for the holder of a token. Only a program requests it, never a page. */
async function makeLink(c: Context<AppEnv>, ground: DashboardGround): Promise<Response> {
  const { headers } = c.req.raw;
  if (ground.isFromPage(headers)) return c.json({ error: "pages are refused" }, 403);
  const token = ground.bearerOf(headers);
  const credential = token === null ? null : ground.credentialOf(token);
  if (credential === null || (await ground.holderOf(c.env, credential)) === null) {
    const seconds = token === null ? 0 : await secondsToWait(c, ground);
    if (seconds > 0) {
      const error = "too many wrong tokens from this source: wait for Retry-After, then send the right one";
      return c.json({ error }, 429, { "retry-after": String(seconds) });
    }
    return c.json({ error: "send Authorization: Bearer and a token of the admin API" }, 401);
  }
  const code = Buffer.from(ground.randomBytes(CODE_BYTES)).toString("base64url");
  const expiresAtMs = ground.clock.nowMs() + LINK_MS;
  await directoryOf(c.env).putDashboardLink({ codeHash: ground.hash(code), credential, expiresAtMs });
  return c.json({ path: `${ENTER}/${code}`, expiresAt: new Date(expiresAtMs).toISOString() }, 201);
}

async function logOut(c: Context<AppEnv>, ground: DashboardGround): Promise<Response> {
  const admitted = await sessionOf(c, ground);
  if (admitted === null) return c.redirect(LOGIN, 303);
  const form = await readForm(c, ground, admitted.session);
  if (!form.ok) return showEntry(c, { kind: "login", to: DASHBOARD, fault: form.error.detail }, form.error.status);
  await endSession(c, admitted.session);
  return c.redirect(withQuery(LOGIN, { done: "out" }), 303);
}

/** Answers the paths for log-in and log-out. Null for every other path. */
export async function answerEntry(c: Context<AppEnv>, ground: DashboardGround): Promise<Response | null> {
  const { path, method } = c.req;
  const isPost = method === "POST";
  if (path === LOGIN) {
    if (isPost) return logIn(c, ground);
    const to = ownPath(c.req.query("to"), new URL(c.req.url).origin);
    const note = entryNote(c.req.query("done")) ?? (to === DASHBOARD ? null : "asked");
    return showEntry(c, { kind: "login", to, note });
  }
  if (path === LOGOUT && isPost) return logOut(c, ground);
  if (path === LINK && isPost) return makeLink(c, ground);
  if (path.startsWith(`${ENTER}/`)) {
    const code = path.slice(ENTER.length + 1);
    return isPost ? useLink(c, ground, code) : showEntry(c, { kind: "link", path });
  }
  return null;
}
