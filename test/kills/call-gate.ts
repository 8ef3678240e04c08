import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { LOOPBACK } from "../../shared/cli/ports.ts";

/** The moment of a call to a node: before the node has it, or once the node has answered and nobody has the answer. */
export type CallMoment = "asked" | "answered";

/** Stands between a service and its chain, and stops at a chosen call. */
export interface CallGate {
  readonly url: string;
  /**
   * Lets calls pass until one is to be held. It holds that one and all that follow, until `open`.
   *
   * @param prefix calls of other paths pass, and do not count.
   * @param isHeld is asked at each call, with how many have passed, until it says yes.
   * @returns the path of the held call, once it is held.
   */
  holdAt(prefix: string, isHeld: (passed: number) => boolean, moment: CallMoment): Promise<string>;
  open(): void;
  stop(): Promise<void>;
}

interface Order {
  readonly prefix: string;
  readonly moment: CallMoment;
  readonly isHeld: (passed: number) => boolean;
  passed: number;
  isHolding: boolean;
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
    if (order.isHolding) return;
    if (!order.isHeld(order.passed)) {
      order.passed += 1;
      return pass(asked, answer, null);
    }
    order.isHolding = true;
    const { moment, held } = order;
    if (moment === "asked") held(path);
    else pass(asked, answer, () => held(path));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gate has no port");
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    holdAt: (prefix, isHeld, moment) =>
      new Promise((resolve) => {
        order = { prefix, moment, isHeld, passed: 0, isHolding: false, held: resolve };
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
