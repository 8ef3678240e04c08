import type { ApiContract } from "../../shared/api/contract.ts";
import type { FundCallContext, Handler } from "../../shared/rpc/handler.ts";

/** An interface of the service, and one handler for each of its methods. */
export interface JsonRpcApi {
  readonly contract: ApiContract;
  readonly handlers: readonly Handler[];
  /** The handlers whose requests a fund can admit. Absent if it can admit none. */
  readonly atFund?: readonly Handler<FundCallContext>[];
}
