/**
 * A client of the service's JSON-RPC interfaces, for Node and Workers. It needs only `fetch`, and no SDK client of a
 * chain. The service's own contract types every method.
 */

export { type TokenDesk, tokenCacheIn } from "../workflow/token-cache.ts";
export { type User, type UserWallet, userWallet, userWalletId } from "../workflow/wallet-clients.ts";
export { type AptosGasClient, createAptosGasClient, createSuiGasClient, type SuiGasClient } from "./gas-client.ts";
export type {
  CallOptions,
  ClientError,
  Method,
  Refused,
  Reply,
  RpcClientOptions,
  TransportFailure,
} from "./rpc-client.ts";
export { NO_TOKEN_CACHE, type TokenCache, tokenInMemory, withToken } from "./session.ts";
export {
  type AptosWalletClient,
  createAptosWalletClient,
  createDeployedSuiWalletClient,
  createSuiWalletClient,
  createSuiWalletV2Client,
  type DeployedSuiWalletClient,
  type SuiWalletClient,
  type SuiWalletV2Client,
} from "./wallet-client.ts";
