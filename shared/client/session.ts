import type { Reply } from "./reply.ts";

/** Keeps the session token of one user's wallet. */
export interface TokenCache {
  /**
   * Returns the kept token.
   *
   * @param refused the token of the last `get`, if the service no longer accepts it.
   * @returns null if no token is kept. The caller then makes one, and ends with `put` or `giveUp`, because others may
   * wait for it.
   */
  get(refused?: string): Promise<string | null>;
  put(token: string): Promise<void>;
  giveUp(): Promise<void>;
}

/** A cache that keeps nothing. */
export const NO_TOKEN_CACHE: TokenCache = { get: async () => null, put: async () => {}, giveUp: async () => {} };

/** Makes a call with the kept token. Uses a new one if none is kept, or if the service no longer accepts it. */
export async function withToken<Value>(
  tokens: TokenCache,
  createSession: () => Promise<Reply<string>>,
  call: (sessionToken: string) => Promise<Reply<Value>>,
): Promise<Reply<Value>> {
  let refused: string | undefined;
  for (let kept = await tokens.get(refused); kept !== null; kept = await tokens.get(refused)) {
    const reply = await call(kept);
    if (reply.ok || reply.error.kind !== "refused" || reply.error.reason !== "bad_session_token") return reply;
    refused = kept;
  }
  const created = await createSession();
  if (!created.ok) {
    await tokens.giveUp();
    return created;
  }
  await tokens.put(created.value);
  return call(created.value);
}

/** The ten minutes of a token, less the duration of a call. */
const KEPT_MS = 540_000;

/** Keeps one wallet's token in memory, for a long-lived process. @param nowMs milliseconds since 1970. */
export function tokenInMemory(nowMs: () => number = Date.now): TokenCache {
  let kept: { readonly token: string; readonly untilMs: number } | null = null;
  return {
    get: async (refused) => (kept !== null && kept.token !== refused && nowMs() < kept.untilMs ? kept.token : null),
    giveUp: async () => {},
    put: async (token) => {
      kept = { token, untilMs: nowMs() + KEPT_MS };
    },
  };
}
