import type { Fetch } from "../bindings/ports.ts";
import type { Config } from "../config/config.ts";
import type { Chain, Network } from "../networks.ts";
import type { Checked, GatewayRefusal } from "./errors.ts";
import type { HeaderList } from "./headers.ts";
import type { RequestTarget } from "./request-target.ts";

/** One request as it goes to an upstream. */
export interface UpstreamRequest {
  /** The name in the log. It holds no part of the caller's path, and no key. */
  readonly logName: string;
  /** The part after an endpoint's URL, as it was sent. */
  readonly target: string;
  /**
   * Reads go to one endpoint after the other until one answers. A write goes to the next only if it was turned away.
   * Only the chain shows whether an endpoint that did not answer has taken it.
   */
  readonly kind: "read" | "write";
  /** True for an endless stream: each piece is passed on as it comes. */
  readonly streams: boolean;
  /** An access key in the path. Null without one. */
  readonly pathKey: string | null;
}

/** The head of an endpoint's answer. The beginning of its body comes later. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
}

/** The judgement of an answer by its status and headers. */
export type HeadVerdict =
  /** `ofNetwork`: the answer itself shows that it comes from a node of the network. */
  | { readonly kind: "pass"; readonly ofNetwork: boolean }
  /**
   * `fault` is our own text, because an endpoint's text may name the endpoint. `nothingDone`: a write that the endpoint
   * turned away was not taken.
   */
  | { readonly kind: "failed"; readonly fault: string; readonly nothingDone?: true };

/** A limit that an endpoint reports. `retryAfterMs`: the requested wait. Null if it requests none. */
export interface EndpointRateLimit {
  readonly retryAfterMs: number | null;
}

/** An answer whose whole body came within the look-ahead, before anything is passed on. */
export interface WholeResponse extends ResponseHead {
  readonly body: Uint8Array;
}

/** The cost of a body, and the body to send. */
export interface Quote {
  readonly computeUnits: number;
  /** The body that goes to the upstream. */
  readonly body: string;
}

/**
 * Computes the cost of a body, and the body that goes to the upstream. A refused body costs the least that any body
 * does.
 */
export interface Meter {
  quote(text: string): Checked<Quote>;
  readonly leastComputeUnits: number;
}

/** A node's interface as its callers see it. */
export interface NodeInterface {
  /** The path with the version, without a slash at its end. */
  readonly path: string;
  /** The HTTP methods. Every other method is refused. */
  readonly methods: readonly string[];
  /** Answers a refusal of the gateway's own in the interface's shape. */
  errorResponse(refusal: GatewayRefusal, request: Request): Response;
}

/** The endpoints of a network, as the operator configured them. */
export interface Endpoints {
  readonly urls: readonly string[];
  /** The variable that configures `urls`. */
  readonly variable: string;
  /** The endpoints that get a read if one of `urls` names their origin. Absent for none. */
  readonly archives?: readonly string[];
}

/** The body that passes instead of a whole body. `archive`: the place of the history that the endpoint has pruned. */
export interface PassingBody {
  readonly kind: "pass";
  readonly body: Uint8Array;
  readonly archive?: string;
}

/** A node's interface as the gateway passes it on. It holds all differences between the interfaces. */
export interface Upstream extends NodeInterface {
  readonly chain: Chain;
  readonly maxBodyBytes: number;
  readonly requestHeaders: HeaderList;
  readonly responseHeaders: HeaderList;
  urlsOf(config: Config, network: Network): Endpoints;
  /** Classifies a request by the head alone. */
  classify(target: RequestTarget, request: Request): Checked<UpstreamRequest>;
  /** Loads the meter when it is needed. Present if requests cost compute units; absent if they cost queries. */
  readonly meter?: () => Promise<Meter>;
  /** Returns whether an endpoint answers that it is of this network. */
  probeNetwork(question: {
    readonly url: string;
    readonly network: Network;
    readonly fetch: Fetch;
    readonly abort: AbortSignal;
  }): Promise<boolean>;
  /** True if each answer names its network, so that reads need no question before. */
  readonly answersNameNetwork: boolean;
  checkHead(answer: ResponseHead, ask: UpstreamRequest, network: Network): HeadVerdict;
  /** Returns the body that passes in place of a whole body, or why none passes. If it is absent, the body passes. */
  transformBody?(answer: WholeResponse, ask: UpstreamRequest): PassingBody | Extract<HeadVerdict, { kind: "failed" }>;
  /**
   * Returns whether an answer must not pass unchanged. An answer too long to be changed has then failed. If it is
   * absent, every answer may pass.
   */
  mustTransform?(answer: ResponseHead): boolean;
  /** Returns the hash or digest for the look-up of this body's transaction. Null if it is not known. */
  referenceOf?(ask: UpstreamRequest, body: Uint8Array, headers: Headers): Promise<string | null>;
}
