import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { LOOPBACK } from "../local/ports.ts";

const PIECE_BYTES = 65_536;

/** What it does with one request: passes it to the node behind it, fails, says nothing, or answers far more than was asked. */
export type Conduct = "pass" | "fail" | "hang" | "flood";

/** A node that a test can turn against the service. It stands before one that is honest. */
export interface ByzantineNode {
  /** Serves the same paths as the honest node. */
  readonly url: string;
  /** How many requests it did not pass. */
  betrayed(): number;
  /** @param path of a request, and its body. */
  behave(conductOf: (path: string, body: Buffer) => Conduct): void;
  stop(): Promise<void>;
}

/** @param floodBytes the size of a flooding reply: one gRPC-web frame, or one JSON string. */
export async function startByzantineNode(honestUrl: string, floodBytes: number): Promise<ByzantineNode> {
  const { hostname, port } = new URL(honestUrl);
  let conductOf: (path: string, body: Buffer) => Conduct = () => "pass";
  let betrayed = 0;

  function pass({ method, url: path, headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const passed = request({ hostname, port, method, path, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    passed.end(body);
  }

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const conduct = conductOf(incoming.url ?? "", body);
    if (conduct === "pass") return pass(incoming, body, response);
    betrayed += 1;
    if (conduct === "fail") response.writeHead(500).end();
    if (conduct === "flood") flood(incoming, response, floodBytes);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    betrayed: () => betrayed,
    behave(next) {
      conductOf = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As fast as the service takes it; its length is not said in a header. */
function flood({ headers }: IncomingMessage, response: ServerResponse, floodBytes: number): void {
  const isGrpc = headers["content-type"]?.startsWith("application/grpc-web") ?? false;
  // Any ledger state will do: the body is what is wrong.
  const ledger = {
    "content-type": "application/json",
    "x-aptos-chain-id": "4",
    "x-aptos-ledger-version": "7",
    "x-aptos-ledger-oldest-version": "0",
    "x-aptos-ledger-timestampusec": "1800000000000000",
  };
  response.writeHead(200, isGrpc ? { "content-type": "application/grpc-web+proto" } : ledger);
  if (isGrpc) {
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(floodBytes, 1);
    response.write(frame);
  } else response.write('"');
  const piece = Buffer.alloc(PIECE_BYTES, "a");
  let left = Math.ceil(floodBytes / PIECE_BYTES);
  const send = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(piece)) return void response.once("drain", send);
    }
    response.end(isGrpc ? "" : '"');
  };
  send();
}
