import {
  checkGraphqlBody,
  checkGraphqlHead,
  classifyGraphql,
  isIndexerOf,
  loadGraphqlMeter,
} from "../../../shared/gateway/aptos-graphql.ts";
import { aptosGraphqlInterface } from "../../../shared/gateway/interfaces.ts";
import type { Upstream } from "../../../shared/gateway/upstream.ts";
import { isAptosNetwork } from "../../../shared/networks.ts";

/** The GraphQL of Aptos indexers. */
export const aptosGraphql: Upstream = {
  ...aptosGraphqlInterface,
  chain: "aptos",
  /** The query has its own limit. The rest is for its variables. */
  maxBodyBytes: 64 * 1024,
  requestHeaders: { names: ["content-type", "accept", "x-aptos-client"] },
  responseHeaders: { names: ["content-type", "retry-after"], prefixes: ["x-aptos-"] },
  urlsOf: ({ indexers }, network) => ({
    urls: isAptosNetwork(network) ? indexers[network] : [],
    variable: `${network}_INDEXERS`,
  }),
  classify: classifyGraphql,
  meter: loadGraphqlMeter,
  probeNetwork: ({ url, network, fetch, abort }) => isIndexerOf(url, network, fetch, abort),
  answersNameNetwork: false,
  checkHead: checkGraphqlHead,
  transformBody: checkGraphqlBody,
};
