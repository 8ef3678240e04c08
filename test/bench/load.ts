import { Agent, request } from "node:http";

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a GET. */
  readonly body: string | null;
  /** What every answer contains. */
  readonly expected: string;
  /** What is different in the next request. */
  readonly vary?: (() => Varied) | undefined;
  /** Makes the second request of an operation from the answer to the first. Both count as one request. */
  readonly follow?: ((answer: string) => Promise<Followed>) | undefined;
  /** Connections, each with one request at a time. */
  readonly callers: number;
  readonly requests: number;
  /** Sends no more requests after this time, s. Absent for a load without a time limit. */
  readonly mostSeconds?: number | undefined;
}

export interface Rounds {
  readonly callers: number;
  /** Counts the requests of one round of one route. */
  readonly requests: number;
  readonly rounds: number;
  /** Counts the requests of one route before its first round. */
  readonly warmUp: number;
}

export interface Varied {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Followed {
  readonly url: string;
  readonly body: string;
}

export interface LoadResult {
  /** How many were answered. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Sends the same request again and again, but for what varies, over connections that stay open. Each caller sends its
 * next request as soon as it has its answer.
 *
 * @throws Error if an answer does not contain what is expected. A refusal is faster than the work, and would look good.
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { callers, requests, mostSeconds = Number.POSITIVE_INFINITY } = load;
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const latenciesMs: number[] = [];
  let left = requests;

  function send(url: string, varied: Varied): Promise<string> {
    const payload = Buffer.from(varied.body ?? load.body ?? "");
    const length = load.body === null ? {} : { "content-length": payload.length };
    const options = {
      method: load.body === null ? "GET" : "POST",
      agent,
      headers: { ...load.headers, ...varied.headers, ...length },
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, options, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(payload);
    });
  }

  async function expectSent(url: string, varied: Varied): Promise<string> {
    const answer = await send(url, varied);
    if (!answer.includes(load.expected)) throw new Error(`${url} answered ${answer}`);
    return answer;
  }

  async function once(): Promise<void> {
    const answer = await expectSent(load.url, load.vary?.() ?? {});
    if (load.follow === undefined) return;
    const { url, body } = await load.follow(answer);
    await expectSent(url, { body });
  }

  const startedAt = performance.now();
  const endsAt = startedAt + mostSeconds * 1_000;

  async function caller(): Promise<void> {
    while (left > 0 && performance.now() < endsAt) {
      left -= 1;
      const sentAt = performance.now();
      await once();
      latenciesMs.push(performance.now() - sentAt);
    }
  }

  try {
    await Promise.all(Array.from({ length: callers }, caller));
  } finally {
    agent.destroy();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  latenciesMs.sort((a, b) => a - b);
  return {
    requests: latenciesMs.length,
    requestsPerSecond: latenciesMs.length / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  };
}

/** Reads a quantile of sorted values. NaN if there is none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
