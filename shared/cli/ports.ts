import { createServer } from "node:net";

export const LOOPBACK = "127.0.0.1";

/** Returns a free port of the system. Another process may take it before it is used, which is improbable. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === null) throw new Error("the system has no free port");
  return port;
}

/** Returns true if nothing listens at a port of the loopback address. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== null;
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : null;
      server.close(() => resolve(taken));
    });
  });
}
