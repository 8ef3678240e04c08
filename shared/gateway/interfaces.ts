import { graphqlError } from "./aptos-graphql.ts";
import { aptosRestError } from "./aptos-rest.ts";
import { suiError } from "./sui-node.ts";
import type { NodeInterface } from "./upstream.ts";

const APTOS_REST_METHODS = ["GET", "POST"];

/** The REST API of Aptos full nodes. */
export const aptosRestInterface: NodeInterface = {
  path: "/aptos/node/v1",
  methods: APTOS_REST_METHODS,
  errorResponse: (refusal) => aptosRestError(refusal, APTOS_REST_METHODS),
};

/** The GraphQL API of Aptos indexers. */
export const aptosGraphqlInterface: NodeInterface = {
  path: "/aptos/graphql/v1",
  methods: ["POST"],
  errorResponse: graphqlError,
};

/** The gRPC-web API of Sui full nodes. */
export const suiNodeInterface: NodeInterface = { path: "/sui/node/v1", methods: ["POST"], errorResponse: suiError };

/** Lists every node interface, so that a request can be refused in its shape before it reaches the gateway. */
export const nodeInterfaces: readonly NodeInterface[] = [aptosRestInterface, aptosGraphqlInterface, suiNodeInterface];
