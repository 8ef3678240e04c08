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
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

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

/**
 * Returns whether the browser drops the session's cookie, because it opened the dashboard over plain HTTP on a host other
 * than loopback. A browser sends `Sec-Fetch-Site` only over TLS and on loopback, so a proxy may have ended the TLS.
 */
export function losesSession({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const isPlain = new URL(url).protocol === "http:" && !isPlainLoopback(url);
  return isPlain && !headers.has("sec-fetch-site");
}

/** A browser accepts the prefix `__Secure-` over TLS only. So nobody on the way can plant such a cookie without it. */
function cookieOf(url: string) {
  const secure = !isPlainLoopback(url);
  const options = { path: DASHBOARD, httpOnly: true, sameSite: "Strict", secure } as const;
  return { name: secure ? `__Secure-${NAME}` : NAME, options };
}

function write({ credential, ...session }: Session): Uint8Array {
  const secretHash = Buffer.from(credential.secretHash).toString("base64url");
  return Buffer.from(JSON.stringify({ ...session, tokenId: credential.tokenId, secretHash }));
}

/** Reads what `write` has written. The seal shows that nobody else did. */
function read(bytes: Uint8Array): Session {
  const { id, csrf, tokenId, secretHash, expiresAtMs } = JSON.parse(Buffer.from(bytes).toString());
  const credential = { tokenId, secretHash: new Uint8Array(Buffer.from(secretHash, "base64url")) };
  return { id, csrf, credential, expiresAtMs };
}

/** Begins a session with a new id, whatever cookie the visitor has brought. */
export async function beginSession(
  c: Context<AppEnv>,
  ground: DashboardGround,
  credential: OperatorCredential,
): Promise<void> {
  const random = () => Buffer.from(ground.randomBytes(ID_BYTES)).toString("base64url");
  const session = { id: random(), csrf: random(), credential, expiresAtMs: ground.clock.nowMs() + SESSION_MS };
  const { name, options } = cookieOf(c.req.url);
  const sealed = await ground.seal(write(session));
  setCookie(c, name, Buffer.from(sealed).toString("base64url"), { ...options, maxAge: SESSION_MS / 1_000 });
}

async function openCookie(c: Context<AppEnv>, ground: DashboardGround): Promise<Session | null> {
  const text = getCookie(c, cookieOf(c.req.url).name);
  if (text === undefined || text.length > MAX_COOKIE_CHARACTERS) return null;
  try {
    const session = read(await ground.open(new Uint8Array(Buffer.from(text, "base64url"))));
    return session.expiresAtMs > ground.clock.nowMs() ? session : null;
  } catch {
    return null;
  }
}

/**
 * Returns the session of a request. Null if there is none, if it has ended, or if its token has.
 *
 * @throws if the directory does not answer.
 */
export async function sessionOf(c: Context<AppEnv>, ground: DashboardGround): Promise<Admitted | null> {
  const session = await openCookie(c, ground);
  if (session === null) return null;
  const [operator, hasEnded] = await Promise.all([
    ground.holderOf(c.env, session.credential),
    directoryOf(c.env).hasDashboardSessionEnded(session.id),
  ]);
  return operator === null || hasEnded ? null : { session, operator };
}

/** Ends a session: in this browser, and wherever else its cookie may be. */
export async function endSession(c: Context<AppEnv>, { id, expiresAtMs }: Session): Promise<void> {
  await directoryOf(c.env).endDashboardSession(id, expiresAtMs);
  const { name, options } = cookieOf(c.req.url);
  deleteCookie(c, name, options);
}

/** Returns the object that keeps links and log-outs. */
export function directoryOf(env: Env) {
  return env.DIRECTORY.getByName(DIRECTORY_NAME);
}
