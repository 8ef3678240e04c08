import type { ApiContract } from "../../shared/api/contract.ts";
import type { Handler } from "../../shared/rpc/handler.ts";

/** An interface of the service, and one handler for each of its methods. */
export interface JsonRpcApi {
  readonly contract: ApiContract;
  readonly handlers: readonly Handler[];
}
