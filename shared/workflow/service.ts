import { networkOfKey } from "../access/key-format.ts";
import type { Deps } from "../bindings/deps.ts";
import type { Fetch } from "../bindings/ports.ts";
import type { RpcClientOptions } from "../client/rpc-client.ts";
import { FLOWS_KEY_VARIABLES, type FlowsConfig } from "../config/workflows.ts";
import { type AptosNetwork, aptosNetworks, type Chain, type SuiNetwork, suiNetworks } from "../networks.ts";
import { type WorkflowResult, workflowFailed } from "./errors.ts";

/** The service behind the app's access key for a chain. */
export interface ServiceAccess<OfChain> {
  readonly network: OfChain;
  readonly options: RpcClientOptions;
}

/** The service as the app's access keys reach it, by chain. Fails if a chain is not configured. */
export interface ServiceByChain {
  sui(): WorkflowResult<ServiceAccess<SuiNetwork>>;
  aptos(): WorkflowResult<ServiceAccess<AptosNetwork>>;
}

/**
 * Finds the service for each chain.
 *
 * @param inProcess calls the service of this deployment; used if no FLOWS_BASE_URL is set.
 */
export function serviceByChain({ accessKeys, baseUrl }: FlowsConfig, deps: Deps, inProcess: Fetch): ServiceByChain {
  const find = <OfChain extends string>(
    chain: Chain,
    networks: readonly OfChain[],
  ): WorkflowResult<ServiceAccess<OfChain>> => {
    const accessKey = accessKeys[chain];
    if (accessKey === null)
      return workflowFailed(503, "not_configured", `${FLOWS_KEY_VARIABLES[chain]} is not set: set it to an access key`);
    const network = networkOfKey(accessKey, networks);
    if (network === null)
      return workflowFailed(
        503,
        "not_configured",
        `${FLOWS_KEY_VARIABLES[chain]} is not an access key for one of ${networks.join(", ")}`,
      );
    const options = {
      baseUrl: baseUrl ?? "https://service.invalid",
      accessKey,
      fetch: baseUrl === null ? inProcess : deps.fetch,
    };
    return { ok: true, value: { network, options } };
  };
  return { sui: () => find("sui", suiNetworks), aptos: () => find("aptos", aptosNetworks) };
}
