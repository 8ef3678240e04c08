import type { Upstream } from "../../../shared/gateway/upstream.ts";
import { aptosGraphql } from "./aptos-graphql.ts";
import { aptosRest } from "./aptos-rest.ts";
import { suiNode } from "./sui-node.ts";

/** The node interfaces, which pass requests on. */
export const upstreams: readonly Upstream[] = [aptosRest, aptosGraphql, suiNode];
