import { Agent, request } from "node:http";
import { quantile } from "../bench/load.ts";

export interface Arrivals {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** A caller without an answer leaves after this: its connection is closed. */
  readonly patienceMs: number;
  /** As a proxy caps them: whoever comes beyond that is turned away there. */
  readonly maxOpen: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Since the instant at which the request was due. */
  readonly afterMs: number;
}

export interface Met {
  readonly answers: readonly Answer[];
  /** Callers who left without an answer. */
  readonly left: number;
  /** Connections that were refused or broke. */
  readonly broken: number;
  /** Never sent: too many were open. */
  readonly capped: number;
}

const TICK_MS = 5;

/**
 * Sends requests at a steady rate, whatever is answered: callers who do not know of each other. Latencies count from
 * the instant at which a request was due, so that a generator that is late hides nothing.
 */
export async function sendArrivals({
  url,
  headers,
  body,
  perSecond,
  seconds,
  patienceMs,
  maxOpen,
}: Arrivals): Promise<Met> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16_384 });
  const payload = Buffer.from(body);
  const options = { method: "POST", agent, headers: { ...headers, "content-length": payload.length } };
  const answers: Answer[] = [];
  let [left, broken, capped, open] = [0, 0, 0, 0];

  function send(dueAt: number): Promise<void> {
    if (open >= maxOpen) {
      capped += 1;
      return Promise.resolve();
    }
    open += 1;
    return new Promise((resolve) => {
      let hasLeft = false;
      const sent = request(url, options, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          answers.push({ status: response.statusCode ?? 0, text, afterMs: performance.now() - dueAt });
        });
      });
      const patience = setTimeout(() => {
        hasLeft = true;
        sent.destroy();
      }, patienceMs);
      sent.on("error", () => {
        if (!hasLeft) broken += 1;
      });
      sent.on("close", () => {
        clearTimeout(patience);
        open -= 1;
        if (hasLeft) left += 1;
        resolve();
      });
      sent.end(payload);
    });
  }

  const startedAt = performance.now();
  const total = Math.round(perSecond * seconds);
  const all: Promise<void>[] = [];
  while (all.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    for (; all.length < due; ) all.push(send(startedAt + (all.length / perSecond) * 1000));
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(all);
  agent.destroy();
  return { answers, left, broken, capped };
}

export function latency(answers: readonly Answer[], share: number): number {
  return quantile(
    answers.map(({ afterMs }) => afterMs).sort((a, b) => a - b),
    share,
  );
}
