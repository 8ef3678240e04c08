import type { Caller } from "../../../shared/access/caller.ts";
import { suiCreateSession, suiSignTransaction } from "../../../shared/api/sui-wallet.ts";
import type { Outcome } from "../../../shared/errors.ts";
import { type AppEnv, requestLog } from "../../../shared/http/app.ts";
import { Hono } from "../../../shared/http/hono.ts";
import { createLog } from "../../../shared/observe/log.ts";
import { dispatch } from "../../../shared/rpc/dispatch.ts";
import { handler, methodTable } from "../../../shared/rpc/handler.ts";

/** The floor's calls behind the reading of a request. */
export interface FloorCalls {
  /** Admits the caller. */
  admit(): Promise<Caller>;
  /** Makes a session, and returns its token. */
  session(): Promise<Outcome<string>>;
  /** Signs with a wallet, and returns the serialized signature. */
  sign(walletId: string): Promise<Outcome<string>>;
}

/** The path of the floors that read their requests as the service does. */
export const READ_PATH = "/read";

/**
 * Reads and answers JSON-RPC as the service does, with its contracts, its dispatcher and its log line. Behind that are
 * the floor's calls. Left out are the parsing of the access key, limits, the derivation's queue and its deadline.
 */
export function createReadingFloor(calls: FloorCalls): Hono<AppEnv> {
  const clock = { nowMs: Date.now, alarmAtMs: (atMs: number) => atMs };
  const log = createLog("info", clock.nowMs, (line) => console.log(line));
  const handlers = methodTable([
    handler(suiCreateSession, (_params, _context: null) => calls.session()),
    handler(suiSignTransaction, ({ wallet_id }, _context: null) => calls.sign(wallet_id)),
  ]);
  const endpoint: Parameters<typeof dispatch<null>>[1] = {
    handlers,
    admit: async () => ({ ok: true, value: { caller: await calls.admit(), calls: [{ ok: true, value: null }] } }),
    context: () => null,
    logFault: (method, error) => log("fault", { method, error: String(error) }),
  };
  const app = new Hono<AppEnv>();
  app.use(requestLog({ clock, log }));
  app.all(READ_PATH, async (c) => {
    const answered = await dispatch(c.req.raw, endpoint);
    c.set("rpc", answered);
    return answered.response;
  });
  return app;
}
