import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { LOOPBACK } from "../../shared/cli/ports.ts";

/** The moment of a call to a node: before the node has it, or once the node has answered and nobody has the answer. */
export type CallMoment = "asked" | "answered";

/** Stands between a service and its chain, and stops at a chosen call. */
export interface CallGate {
  readonly url: string;
  /**
   * Lets some calls pass, and holds the next one and all that follow, until `open`.
   *
   * @param prefix calls of other paths pass, and do not count.
   * @returns the path of the held call, once it is held.
   */
  holdAt(prefix: string, passing: number, moment: CallMoment): Promise<string>;
  open(): void;
  stop(): Promise<void>;
}

interface Order {
  readonly prefix: string;
  readonly moment: CallMoment;
  left: number;
  readonly held: (path: string) => void;
}

export async function startCallGate(targetUrl: string): Promise<CallGate> {
  const { hostname, port } = new URL(targetUrl);
  let order: Order | null = null;

  function pass(asked: IncomingMessage, answer: ServerResponse, held: (() => void) | null): void {
    const { method, url: path, headers } = asked;
    const sent = request({ hostname, port, method, path, headers }, (answered) => {
      if (held !== null) {
        answered.resume().on("end", held);
        return;
      }
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    sent.on("error", () => answer.destroy());
    asked.on("error", () => sent.destroy());
    asked.pipe(sent);
  }

  const server = createServer((asked, answer) => {
    const path = asked.url ?? "";
    if (order === null || !path.startsWith(order.prefix)) return pass(asked, answer, null);
    order.left -= 1;
    if (order.left >= 0) return pass(asked, answer, null);
    if (order.left < -1) return;
    const { moment, held } = order;
    if (moment === "asked") held(path);
    else pass(asked, answer, () => held(path));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gate has no port");
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    holdAt: (prefix, passing, moment) =>
      new Promise((resolve) => {
        order = { prefix, moment, left: passing, held: resolve };
      }),
    open() {
      order = null;
      server.closeAllConnections();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
