import { createServer, type IncomingMessage, request } from "node:http";
import { LOOPBACK } from "../../shared/cli/ports.ts";

/** Stands between the service and its node, and counts what is asked, by method and path without its parameters. */
export interface CountingProxy {
  readonly url: string;
  /** What was asked since the last time this was called. */
  taken(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** `/aptos/v1/accounts/0x…/transactions?start=0` → `/accounts/:address/transactions`. */
function shapeOf({ method, url = "" }: IncomingMessage): string {
  const [path = ""] = url.split("?");
  const shape = path.replace(/^.*?\/v1(?=\/|$)/, "").replace(/0x[0-9a-f]{64}/g, ":id");
  return `${method} ${shape === "" ? "/" : shape}`;
}

/** @param delayMs how long each request takes on its way, ms. */
export async function startCountingProxy(targetUrl: string, delayMs = 0): Promise<CountingProxy> {
  let counts = new Map<string, number>();
  const { hostname, port } = new URL(targetUrl);
  const server = createServer((asked, answer) => {
    const shape = shapeOf(asked);
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
    const { method, url: path, headers } = asked;
    const sent = request({ hostname, port, method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    sent.on("error", () => answer.destroy());
    if (delayMs === 0) asked.pipe(sent);
    else setTimeout(() => asked.pipe(sent), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    taken() {
      const before = counts;
      counts = new Map();
      return before;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
