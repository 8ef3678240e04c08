import { vi } from "vitest";

export interface Received {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: string;
}

type Answering = (received: Received, signal: AbortSignal) => Response | Promise<Response>;

/** Receivers with public names, in place of the network. What is sent elsewhere goes where it would. */
export class Receivers {
  readonly received: Received[] = [];
  readonly #byHost = new Map<string, Answering>();

  constructor() {
    const { fetch } = globalThis;
    // What a test altered before stays altered.
    const send = vi.isMockFunction(fetch) ? (vi.mocked(fetch).getMockImplementation() ?? fetch) : fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      const answering = this.#byHost.get(new URL(request.url).hostname);
      if (answering === undefined) return send(input, init);
      const headers = Object.fromEntries(request.headers);
      const received = { url: request.url, headers, body: await request.text(), redirect: request.redirect };
      this.received.push(received);
      return answering(received, init?.signal ?? new AbortController().signal);
    });
  }

  /** From here on this host answers like this. */
  at(host: string, answering: Answering): void {
    this.#byHost.set(host, answering);
  }

  ofHost(host: string): readonly Received[] {
    return this.received.filter(({ url }) => new URL(url).hostname === host);
  }
}

export const accept: Answering = () => new Response(null, { status: 204 });

export function status(code: number, headers: Record<string, string> = {}): Answering {
  return () => new Response("a receiver's own words", { status: code, headers });
}

/** Never answers; hears when the caller gives up. */
export const hang: Answering = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
