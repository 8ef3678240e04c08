import { createServer, type IncomingMessage } from "node:http";
import * as z from "zod";
import { LOOPBACK } from "../../shared/cli/ports.ts";

/** What the services that this one replaces do not know. */
const OURS = ["gas_prepareTransactionBlock", "gas_executeTransactionBlock"];

const request = z.looseObject({ id: z.unknown(), method: z.string() });

async function textOf(message: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of message) text += chunk;
  return text;
}

/** A service of the same wire format, less our own gas methods: in front of a real one, which does all the rest. */
export async function startLackingService(serviceUrl: string) {
  const server = createServer(async (incoming, outgoing) => {
    const body = await textOf(incoming);
    const { id, method } = request.parse(JSON.parse(body));
    if (OURS.includes(method)) {
      outgoing.setHeader("content-type", "application/json");
      outgoing.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
      return;
    }
    const headers = new Headers({ "content-type": "application/json" });
    for (const name of ["x-api-key", "idempotency-key"]) {
      const value = incoming.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const answer = await fetch(`${serviceUrl}${incoming.url}`, { method: "POST", headers, body });
    outgoing.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the service has no port");
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
