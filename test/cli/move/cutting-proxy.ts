import { createServer, request } from "node:http";
import { LOOPBACK } from "../../../shared/cli/ports.ts";

/** Stands between the command and a service, and cuts the connection of some requests that move frames. */
export interface CuttingProxy {
  readonly serviceUrl: string;
  /** Frames that were asked for or sent so far, the repeated ones too. */
  frames(): number;
  stop(): Promise<void>;
}

/** How to cut a request: before the service has it, or after the service has answered. */
export interface Cut {
  readonly when: "before" | "after";
  /** Runs at the cut, and ends before the next request passes. */
  readonly doing: () => Promise<void>;
}

/** @param cutOf gives the cut of a frame, by its count from 1. Null lets it pass. */
export async function startCuttingProxy(
  targetUrl: string,
  cutOf: (frame: number) => Cut | null,
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(targetUrl);
  let frames = 0;
  let cutting: Promise<void> = Promise.resolve();
  const server = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    const isFrame = path?.includes("/transfer/frames") ?? false;
    if (isFrame) frames += 1;
    const cut = isFrame ? cutOf(frames) : null;
    const endHere = (doing: () => Promise<void>) => {
      cutting = doing().finally(() => answer.destroy());
    };
    void cutting.then(() => {
      if (cut?.when === "before") return endHere(cut.doing);
      const sent = request({ hostname, port, method, path, headers }, (answered) => {
        if (cut !== null) {
          answered.resume();
          return endHere(cut.doing);
        }
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(answer);
      });
      sent.on("error", () => answer.destroy());
      asked.pipe(sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    serviceUrl: `http://${LOOPBACK}:${address.port}`,
    frames: () => frames,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
