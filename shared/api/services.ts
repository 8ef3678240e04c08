import type { ServiceContract } from "./contract.ts";
import { suiGas } from "./sui-gas.ts";

/** Every JSON-RPC interface of the service. */
export const services: readonly ServiceContract[] = [suiGas];
