/** The entry `gasworks` of the package: clients of the service for a back end. */

export type { Call, CallOptions, RpcClientOptions } from "../calls.ts";
export { type ClientError, isRefused, type Refused, type Reply, type TransportFailure } from "../reply.ts";
export { NO_TOKEN_CACHE, type TokenCache, tokenInMemory, withToken } from "../session.ts";
export * from "./clients.ts";
