import { matchesNetwork } from "../../../shared/chain/sui/chain-id.ts";
import { chainIdentifierAt, digestOfExecution } from "../../../shared/chain/sui/grpc/gateway.ts";
import { grpcWebFormat } from "../../../shared/gateway/grpc-web.ts";
import { suiNodeInterface } from "../../../shared/gateway/interfaces.ts";
import { checkSuiBody, checkSuiHead, classifySui } from "../../../shared/gateway/sui-node.ts";
import type { Upstream } from "../../../shared/gateway/upstream.ts";
import { isSuiNetwork } from "../../../shared/networks.ts";

/** gRPC-web to Sui full nodes. */
export const suiNode: Upstream = {
  ...suiNodeInterface,
  chain: "sui",
  /** The limit fits a batch of object ids, or a transaction, in base64. */
  maxBodyBytes: 1024 * 1024,
  requestHeaders: {
    names: ["content-type", "accept", "x-grpc-web", "grpc-timeout", "x-sui-client-protocol-version"],
  },
  responseHeaders: {
    names: ["content-type", "retry-after", "grpc-status", "grpc-message", "grpc-status-details-bin"],
    prefixes: ["x-sui-"],
  },
  urlsOf: ({ nodes }, network) => ({ urls: nodes[network], variable: `${network}_NODES` }),
  classify: classifySui,
  probeNetwork: async ({ url, network, fetch, abort }) =>
    isSuiNetwork(network) && matchesNetwork(await chainIdentifierAt(url, fetch, abort), network),
  answersNameNetwork: false,
  checkHead: checkSuiHead,
  transformBody: checkSuiBody,
  referenceOf: (_ask, body, headers) => digestOfExecution(body, grpcWebFormat(headers) ?? "binary"),
};
