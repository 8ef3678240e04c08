import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from "node:http";
import { LOOPBACK } from "../../shared/cli/ports.ts";

const PIECE_BYTES = 65_536;

/** Of another chain of Aptos than the development chains'. */
const OTHER_CHAIN_ID = "5";

/**
 * What it does with one request: passes it to the node behind it, fails, says nothing, answers far more than was asked, or
 * passes it and shows another chain id of Aptos.
 */
export type Conduct = "pass" | "fail" | "hang" | "flood" | "other_chain";

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

  /** @param changes headers that are put in the place of the node's own. */
  function pass(
    { method, url: path, headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    changes: OutgoingHttpHeaders = {},
  ): void {
    const passed = request({ hostname, port, method, path, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, { ...answered.headers, ...changes });
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
    if (conduct === "flood") await flood(incoming, response, { honestUrl, floodBytes });
    if (conduct === "other_chain") pass(incoming, body, response, { "x-aptos-chain-id": OTHER_CHAIN_ID });
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

interface Flood {
  readonly honestUrl: string;
  readonly floodBytes: number;
}

/** As fast as the service takes it; its length is not said in a header. */
async function flood({ headers }: IncomingMessage, response: ServerResponse, { honestUrl, floodBytes }: Flood) {
  const isGrpc = headers["content-type"]?.startsWith("application/grpc-web") ?? false;
  // The headers are as they should be: the body alone is wrong.
  const ledger = isGrpc ? {} : await ledgerHeaders(honestUrl);
  response.writeHead(200, { "content-type": isGrpc ? "application/grpc-web+proto" : "application/json", ...ledger });
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

async function ledgerHeaders(honestUrl: string): Promise<Record<string, string>> {
  const answer = await fetch(`${honestUrl}/aptos/v1`);
  await answer.body?.cancel();
  return Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith("x-aptos-")));
}
