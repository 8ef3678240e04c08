import type { TokenCache } from "../workflow/token-cache.ts";
import type { Reply } from "./rpc-client.ts";

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

/** The ten minutes of a token, less the time that a call may take. */
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
