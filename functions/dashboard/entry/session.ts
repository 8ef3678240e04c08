import { Buffer } from "node:buffer";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { DIRECTORY_NAME } from "../../../shared/bindings/directory.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import type { Operator, OperatorCredential } from "../../../shared/bindings/operator.ts";
import type { AppEnv } from "../../../shared/http/app.ts";
import type { DashboardGround } from "../ground.ts";
import { DASHBOARD } from "../paths.ts";

/** A working day. The session ends earlier with its token. */
const SESSION_MS = 12 * 3_600_000;
const ID_BYTES = 16;
/** A sealed session has about 300 characters. */
const MAX_COOKIE_CHARACTERS = 1_000;
const NAME = "gasworks_dashboard";
const LOOPBACK = /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A session of the dashboard, as its cookie holds it under a seal. */
export interface Session {
  readonly id: string;
  /** Every form of the session carries it. A page of another site cannot know it. */
  readonly csrf: string;
  readonly credential: OperatorCredential;
  readonly expiresAtMs: number;
}

/** A session, and the holder of its token now. */
export interface Admitted {
  readonly session: Session;
  readonly operator: Operator;
}

function isPlainLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && LOOPBACK.test(hostname);
}

/** Returns the origin from which a browser sends a form. Null if the request has none. */
function originOf(headers: Headers): string | null {
  const origin = headers.get("origin");
  return origin !== null && URL.canParse(origin) ? origin : null;
}

/**
 * Returns whether the browser drops the session's cookie. It does so over plain HTTP, except on loopback. A form's
 * `Origin` shows the scheme. The URL does not, because a proxy may have ended the TLS or changed the host. A browser
 * sends `Sec-Fetch-Site` only over TLS and on loopback, and that decides for a request without `Origin`.
 */
export function losesSession({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const origin = originOf(headers);
  const isPlain = (opened: string) => new URL(opened).protocol === "http:" && !isPlainLoopback(opened);
  return origin === null ? isPlain(url) && !headers.has("sec-fetch-site") : isPlain(origin);
}

const SHARED = { path: DASHBOARD, httpOnly: true, sameSite: "Strict" } as const;
/**
 * A browser accepts the prefix `__Secure-` over TLS only. So an attacker on the network cannot plant such a cookie
 * without TLS.
 */
const SECURE_COOKIE = { name: `__Secure-${NAME}`, options: { ...SHARED, secure: true } } as const;
const PLAIN_COOKIE = { name: NAME, options: { ...SHARED, secure: false } } as const;

/** Returns the cookie for a log-in. A cookie without Secure needs a form from loopback that was sent to loopback. */
function cookieFor({ url, headers }: Request) {
  const origin = originOf(headers);
  return origin !== null && isPlainLoopback(origin) && isPlainLoopback(url) ? PLAIN_COOKIE : SECURE_COOKIE;
}

/** Returns the cookies that may hold a session. A TLS proxy that sends `Host: localhost` brings the secure one. */
function cookiesAt(url: string) {
  return isPlainLoopback(url) ? [SECURE_COOKIE, PLAIN_COOKIE] : [SECURE_COOKIE];
}

function write({ credential, ...session }: Session): Uint8Array {
  const secretHash = Buffer.from(credential.secretHash).toString("base64url");
  return Buffer.from(JSON.stringify({ ...session, tokenId: credential.tokenId, secretHash }));
}

/** Reads the result of `write`. The seal proves its origin. Null if another build wrote it in another form. */
function read(bytes: Uint8Array): Session | null {
  try {
    const { id, csrf, tokenId, secretHash, expiresAtMs } = JSON.parse(Buffer.from(bytes).toString());
    if (typeof id !== "string" || typeof csrf !== "string" || tokenId === undefined) return null;
    const credential = { tokenId, secretHash: new Uint8Array(Buffer.from(secretHash, "base64url")) };
    return { id, csrf, credential, expiresAtMs };
  } catch {
    return null;
  }
}

/** Begins a session with a new id, for any cookie of the visitor. */
export async function beginSession(
  c: Context<AppEnv>,
  ground: DashboardGround,
  credential: OperatorCredential,
): Promise<void> {
  const random = () => Buffer.from(ground.randomBytes(ID_BYTES)).toString("base64url");
  const session = { id: random(), csrf: random(), credential, expiresAtMs: ground.clock.nowMs() + SESSION_MS };
  const { name, options } = cookieFor(c.req.raw);
  const sealed = await ground.seal(write(session));
  setCookie(c, name, Buffer.from(sealed).toString("base64url"), { ...options, maxAge: SESSION_MS / 1_000 });
}

async function openCookie(c: Context<AppEnv>, ground: DashboardGround, name: string): Promise<Session | null> {
  const text = getCookie(c, name);
  if (text === undefined || text.length > MAX_COOKIE_CHARACTERS) return null;
  const opened = await ground.open(new Uint8Array(Buffer.from(text, "base64url")));
  const session = opened === null ? null : read(opened);
  return session !== null && session.expiresAtMs > ground.clock.nowMs() ? session : null;
}

/**
 * Returns the session of a request. Null if it has none, or if the session or its token has ended.
 *
 * @throws if the directory does not answer, or if the master key could not be read.
 */
export async function sessionOf(c: Context<AppEnv>, ground: DashboardGround): Promise<Admitted | null> {
  for (const { name } of cookiesAt(c.req.url)) {
    const session = await openCookie(c, ground, name);
    if (session === null) continue;
    const [operator, hasEnded] = await Promise.all([
      ground.holderOf(c.env, session.credential),
      directoryOf(c.env).hasDashboardSessionEnded(session.id),
    ]);
    if (operator !== null && !hasEnded) return { session, operator };
  }
  return null;
}

/** Ends a session: in this browser, and wherever else its cookie may be. */
export async function endSession(c: Context<AppEnv>, { id, expiresAtMs }: Session): Promise<void> {
  await directoryOf(c.env).endDashboardSession(id, expiresAtMs);
  for (const { name, options } of cookiesAt(c.req.url))
    if (getCookie(c, name) !== undefined) deleteCookie(c, name, options);
}

/** Returns the object that keeps links and log-outs. */
export function directoryOf(env: Env) {
  return env.DIRECTORY.getByName(DIRECTORY_NAME);
}
