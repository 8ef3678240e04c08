import type { Fetch } from "../bindings/ports.ts";
import type { Config } from "../config/config.ts";
import type { Chain, Network } from "../networks.ts";
import type { Checked, GatewayRefusal } from "./errors.ts";
import type { HeaderList } from "./headers.ts";
import type { RequestTarget } from "./request-target.ts";

/** What one request asks of an upstream. */
export interface UpstreamRequest {
  /** For the log: no path of the caller's, and no key. */
  readonly logName: string;
  /** What follows an endpoint's URL, as it was sent. */
  readonly target: string;
  /**
   * Reads go to one endpoint after the other until one answers. A write goes on only where it was turned away: nobody
   * but the chain can tell whether an endpoint that did not answer has taken it.
   */
  readonly kind: "read" | "write";
  /** A stream without an end: each piece is passed on as it comes. */
  readonly streams: boolean;
  /** An access key that the path shows; null: none. */
  readonly pathKey: string | null;
}

/** What an endpoint has answered so far: its head, and then the beginning of its body. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
}

export type HeadVerdict =
  /** `ofNetwork`: the answer itself says that it comes from a node of the network. */
  | { readonly kind: "pass"; readonly ofNetwork: boolean }
  /** In words of ours: an endpoint's own may name it. `nothingDone`: a write that it turned away was not taken. */
  | { readonly kind: "failed"; readonly fault: string; readonly nothingDone?: true };

/** An endpoint is asked too often. `retryAfterMs`: what it asks to wait; null: it does not say. */
export interface EndpointRateLimit {
  readonly retryAfterMs: number | null;
}

/** An answer's body, where all of it came within what is looked at before anything is passed on. */
export interface WholeResponse extends ResponseHead {
  readonly body: Uint8Array;
}

export interface Quote {
  readonly computeUnits: number;
  /** What goes up. */
  readonly body: string;
}

/** What a body costs, and what of it goes up. A refused one costs the least that any does. */
export interface Meter {
  quote(text: string): Checked<Quote>;
  readonly leastComputeUnits: number;
}

/** A node's interface as its callers see it. */
export interface NodeInterface {
  /** With the version, without a slash at its end. */
  readonly path: string;
  /** HTTP methods. Each other one is refused. */
  readonly methods: readonly string[];
  /** Answers a refusal of the gateway's own in the interface's shape. */
  errorResponse(refusal: GatewayRefusal, request: Request): Response;
}

/** A node's interface as the gateway passes it on. It holds all that differs between the interfaces. */
export interface Upstream extends NodeInterface {
  readonly chain: Chain;
  readonly maxBodyBytes: number;
  readonly requestHeaders: HeaderList;
  readonly responseHeaders: HeaderList;
  urlsOf(config: Config, network: Network): { readonly urls: readonly string[]; readonly variable: string };
  /** By the head alone. */
  classify(target: RequestTarget, request: Request): Checked<UpstreamRequest>;
  /** Metered by compute units; absent: by queries. Loaded when it is needed. */
  readonly meter?: () => Promise<Meter>;
  /** Whether an endpoint says that it is of this network. */
  probeNetwork(question: {
    readonly url: string;
    readonly network: Network;
    readonly fetch: Fetch;
    readonly abort: AbortSignal;
  }): Promise<boolean>;
  /** Whether each answer says by itself what network it is of, so that reads need not ask before. */
  readonly answersNameNetwork: boolean;
  checkHead(answer: ResponseHead, ask: UpstreamRequest, network: Network): HeadVerdict;
  /** Of a body that came whole: what passes in its place, or why it does not. Absent: it passes. */
  transformBody?(
    answer: WholeResponse,
    ask: UpstreamRequest,
  ): { readonly kind: "pass"; readonly body: Uint8Array } | Extract<HeadVerdict, { kind: "failed" }>;
  /** Whether an answer must not pass as it is: one that is too long to be revised has failed. Absent: each may. */
  mustTransform?(answer: ResponseHead): boolean;
  /** By what a transaction that this body submits can be looked up; null: it does not say. */
  referenceOf?(ask: UpstreamRequest, body: Uint8Array, headers: Headers): Promise<string | null>;
}
