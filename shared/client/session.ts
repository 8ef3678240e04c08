import type { TokenCache } from "../workflow/token-cache.ts";
import type { Reply } from "./rpc-client.ts";

/**
 * Makes a call with the token that is kept, or with a new one: where there is none, and where the service does not take
 * the kept one any more.
 */
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

/** Less than the ten minutes of a token, by as much as a call may take. */
const KEPT_MS = 540_000;

/** Keeps one wallet's token in memory: for a process that lives on. @param nowMs milliseconds since 1970. */
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
