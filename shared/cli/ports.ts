import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** The address of this machine alone. */
export const LOOPBACK = "127.0.0.1";

/** Ports below those that systems give to outgoing connections (Linux: from 32768, `ip_local_port_range`). */
const FIRST_PORT = 10_240;
const END_PORT = 32_768;
const MAX_TRIES = 100;

/**
 * Returns a free port of the loopback address. No outgoing connection takes it before it is used. Another process that
 * looks for one may, which is improbable.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new Error("the system has no free port");
}

/** Returns true if nothing listens at a port of the loopback address. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
