import type { ServiceContract } from "../../shared/api/contract.ts";
import type { Handler } from "../../shared/rpc/handler.ts";

/** An interface of the service, and one handler for each of its methods. */
export interface Service {
  readonly contract: ServiceContract;
  readonly handlers: readonly Handler[];
}
