import type { GrpcTypes } from "@mysten/sui/grpc";
import type { Clock, Fetch } from "../../bindings/ports.ts";
import type { SuiNetwork } from "../../networks.ts";
import { unlessAborted, withTimeLimit } from "../../timing.ts";
import { isOversized } from "../bounded-reply.ts";
import { faultText } from "../failover.ts";
import { boundedFetch, givenStatus } from "./grpc/bounded-fetch.ts";
import { suiServices } from "./grpc/services.ts";
import { MAX_TYPE_DEPTH, type OpenType, type Primitive, structType } from "./pure-types.ts";

/** The longest wait of an answer for all signatures together, which are for display only. */
const TIMEOUT_MS = 1_000;
/** The most signatures that one answer requests. */
const MAX_ASKED = 8;
const MAX_KEPT = 1_000;
/** The most parameters of a function that a transaction can call. */
const MAX_PARAMETERS = 256;
/**
 * The time for which an endpoint that did not answer is not called. A signature that was too long is not requested for
 * the same time.
 */
const REST_MS = 60_000;

/** `OpenSignatureBody.Type` of sui.rpc.v2. */
const PRIMITIVES: ReadonlyMap<number | undefined, Primitive> = new Map([
  [1, "address"],
  [2, "bool"],
  [3, "u8"],
  [4, "u16"],
  [5, "u32"],
  [6, "u64"],
  [7, "u128"],
  [8, "u256"],
]);
const [VECTOR, DATATYPE, TYPE_PARAMETER] = [9, 10, 11];

/** The full name of a Move function. */
export interface MoveFunctionName {
  readonly package: string;
  readonly module: string;
  readonly function: string;
}

/** A function's parameters in order. Null for one that pure bytes cannot be. */
export type Parameters = readonly (OpenType | null)[];

/** The endpoints of each network, and the means to reach them. */
export interface SignatureOptions {
  readonly urls: (network: SuiNetwork) => readonly string[];
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/**
 * Reads the parameters of Move functions, to show a transaction's inputs with their types. A published function never
 * changes, so it is kept for the lifetime of the isolate.
 */
export class FunctionSignatures {
  readonly #options: SignatureOptions;
  readonly #kept = new Map<string, Parameters>();
  /** The time at which each network's endpoint last failed to answer. */
  readonly #silentSinceMs = new Map<SuiNetwork, number>();
  /**
   * The time at which each function's signature was last too long to be read. Any publisher can make such a signature.
   */
  readonly #tooLongSinceMs = new Map<string, number>();

  constructor(options: SignatureOptions) {
    this.#options = options;
  }

  /**
   * Calls the network's first endpoint once for each unknown function.
   *
   * @param leftMs of the call's time.
   * @returns the signatures that are known by then. Null for an unknown one.
   */
  async of(
    network: SuiNetwork,
    functions: readonly MoveFunctionName[],
    leftMs: number,
  ): Promise<(name: MoveFunctionName) => Parameters | null> {
    const unknown = new Map(functions.map((name) => [keyOf(network, name), name]));
    for (const key of unknown.keys())
      if (this.#kept.has(key) || this.#isRecent(this.#tooLongSinceMs.get(key))) unknown.delete(key);
    const [url] = this.#options.urls(network);
    if (url !== undefined && unknown.size > 0 && !this.#isRecent(this.#silentSinceMs.get(network))) {
      const asked = [...unknown].slice(0, MAX_ASKED);
      await withTimeLimit(Math.min(TIMEOUT_MS, leftMs), (abort) =>
        Promise.all(asked.map(([key, name]) => this.#ask({ network, url, key, name, abort }))),
      );
    }
    return (name) => this.#known(keyOf(network, name));
  }

  #known(key: string): Parameters | null {
    const known = this.#kept.get(key);
    if (known === undefined) return null;
    keep(this.#kept, key, known);
    return known;
  }

  #isRecent(sinceMs = Number.NEGATIVE_INFINITY): boolean {
    return Math.abs(this.#options.clock.nowMs() - sinceMs) < REST_MS;
  }

  async #ask({ network, url, key, name, abort }: Question): Promise<void> {
    try {
      const { movePackageService } = suiServices(url, boundedFetch(this.#options.fetch));
      const request = { packageId: name.package, moduleName: name.module, name: name.function };
      const { response } = movePackageService.getFunction(request, { abort });
      const described = (await unlessAborted(abort, response)).function;
      const parameters = described === undefined ? null : parametersOf(described);
      if (parameters !== null) keep(this.#kept, key, parameters);
    } catch (error) {
      // A reply about one function proves nothing about others.
      if (givenStatus(error) !== null) return;
      const nowMs = this.#options.clock.nowMs();
      if (isOversized(faultText(error))) keep(this.#tooLongSinceMs, key, nowMs);
      else this.#silentSinceMs.set(network, nowMs);
    }
  }
}

/** Keeps the entries that were requested last. */
function keep<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.delete(key);
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, value);
}

interface Question {
  readonly network: SuiNetwork;
  readonly url: string;
  readonly key: string;
  readonly name: MoveFunctionName;
  readonly abort: AbortSignal;
}

function keyOf(network: SuiNetwork, { package: id, module, function: name }: MoveFunctionName): string {
  return `${network} ${id}::${module}::${name}`;
}

/** Returns null if the list is longer than a function's can be. */
function parametersOf({ parameters }: GrpcTypes.FunctionDescriptor): Parameters | null {
  if (parameters.length > MAX_PARAMETERS) return null;
  return parameters.map(({ body }) => (body === undefined ? null : openType(body, MAX_TYPE_DEPTH)));
}

function openType(body: GrpcTypes.OpenSignatureBody, depthLeft: number): OpenType | null {
  const { type, typeName = "", typeParameter, typeParameterInstantiation: within } = body;
  if (depthLeft === 0 || within.length > 1) return null;
  const name = PRIMITIVES.get(type);
  if (name !== undefined) return { kind: "primitive", name };
  if (type === TYPE_PARAMETER) return typeParameter === undefined ? null : { kind: "parameter", index: typeParameter };
  const elements = within.map((element) => openType(element, depthLeft - 1));
  if (type === DATATYPE) return structType(typeName, elements);
  const [element] = elements;
  return type === VECTOR && element != null ? { kind: "vector", element } : null;
}
