import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import {
  checkAptosRestHead,
  classifyAptosRest,
  hashOfSubmission,
  mustTransformAptosRest,
  transformAptosRestBody,
} from "../../../shared/gateway/aptos-rest.ts";
import { aptosRestInterface } from "../../../shared/gateway/interfaces.ts";
import type { Upstream } from "../../../shared/gateway/upstream.ts";
import { isAptosNetwork } from "../../../shared/networks.ts";

/** The REST API of Aptos full nodes. */
export const aptosRest: Upstream = {
  ...aptosRestInterface,
  chain: "aptos",
  /** The limit fits a module to publish, or a batch of transactions, as JSON. */
  maxBodyBytes: 2 * 1024 * 1024,
  requestHeaders: { names: ["content-type", "accept", "x-aptos-client"] },
  responseHeaders: { names: ["content-type", "retry-after"], prefixes: ["x-aptos-"] },
  urlsOf: ({ nodes, archives }, network) => ({
    urls: nodes[network],
    variable: `${network}_NODES`,
    archives: isAptosNetwork(network) ? archives[network] : [],
  }),
  classify: classifyAptosRest,
  probeNetwork: async ({ url, network, fetch }) => {
    if (!isAptosNetwork(network)) return false;
    return (await createAptosNode({ network, urls: [url], fetch }).ledger()).ok;
  },
  answersNameNetwork: true,
  checkHead: checkAptosRestHead,
  transformBody: transformAptosRestBody,
  mustTransform: mustTransformAptosRest,
  referenceOf: hashOfSubmission,
};
