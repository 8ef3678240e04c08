import * as z from "zod";
import { aptosGraphql } from "../../functions/service/gateway/aptos-graphql.ts";
import { aptosRest } from "../../functions/service/gateway/aptos-rest.ts";
import { suiNode } from "../../functions/service/gateway/sui-node.ts";
import { APTOS_NETWORK, SUI_NETWORK } from "../../shared/cli/client/admin.ts";
import { http } from "../../shared/cli/client/http.ts";
import { newNodeKey } from "../gateway/gateways.ts";
import { admin, chainUrl, serviceUrl } from "../harness/harness.ts";
import { type GatewayContract, type GatewayTarget, gatewaySecuritySuite } from "./gateways.ts";

const restError = z.strictObject({
  message: z.string(),
  error_code: z.enum(["web_framework_error", "rate_limited", "internal_error"]),
  vm_error_code: z.null(),
});
const graphqlError = z.strictObject({
  errors: z.tuple([z.strictObject({ message: z.string(), extensions: z.strictObject({ code: z.string() }) })]),
});
/** What no fund of another test asks its node by itself, so that calls can be counted. */
const METHOD = "/sui.rpc.v2.StateService/ListBalances";
const SIMULATE = "/transactions/simulate";

const gateways: readonly GatewayContract[] = [
  {
    ...aptosRest,
    name: "Aptos REST",
    call: SIMULATE,
    headers: { "content-type": "application/x.aptos.signed_transaction+bcs" },
    body: "no transaction",
    answered: 400,
    refusalOf: (status, text) => {
      restError.parse(JSON.parse(text));
      return String(status);
    },
    refusals: { key: "401", region: "401", network: "401", right: "401", origin: "403", path: "404", length: "413" },
  },
  {
    ...aptosGraphql,
    name: "Aptos GraphQL",
    call: "",
    answered: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{ ledger_infos(limit: 1) { chain_id } }" }),
    refusalOf: (status, text) => `${status} ${graphqlError.parse(JSON.parse(text)).errors[0].extensions.code}`,
    refusals: {
      key: "401 BAD_KEY",
      region: "401 WRONG_REGION",
      network: "401 WRONG_NETWORK",
      right: "401 MISSING_RIGHT",
      origin: "403 BROWSER_ORIGIN",
      path: "404 UNKNOWN_PATH",
      length: "413 BODY_TOO_LONG",
    },
  },
  {
    ...suiNode,
    name: "Sui gRPC",
    call: METHOD,
    answered: 200,
    callWithKey: (key) => `/${key}${METHOD}`,
    headers: { "content-type": "application/grpc-web+proto" },
    body: "\0\0\0\0\0",
    refusalOf: (status, text, headers) =>
      `${status} ${headers.get("content-type")} ${/grpc-status:([0-9]+)/.exec(text)?.[1]}`,
    refusals: {
      key: "200 application/grpc-web+proto 16",
      region: "200 application/grpc-web+proto 16",
      network: "200 application/grpc-web+proto 16",
      right: "200 application/grpc-web+proto 7",
      origin: "200 application/grpc-web+proto 7",
      path: "200 application/grpc-web+proto 12",
      length: "200 application/grpc-web+proto 3",
    },
  },
];

const callsSchema = z.record(z.string(), z.number());

async function target(): Promise<GatewayTarget> {
  return {
    fetch: (path, init) => fetch(`${serviceUrl}${path}`, init),
    keys: async (chain) => {
      const [network, other] = chain === "sui" ? [SUI_NETWORK, APTOS_NETWORK] : [APTOS_NETWORK, SUI_NETWORK];
      const disabled = await newNodeKey({ network });
      await admin("PATCH", `/keys/${disabled.keyId}`, { status: "disabled" });
      const [live, otherChain, without] = await Promise.all([
        newNodeKey({ network }),
        newNodeKey({ network: other }),
        newNodeKey({ network, rights: ["wallet"] }),
      ]);
      return {
        live: live.key,
        another: async () => (await newNodeKey({ network })).key,
        disabled: disabled.key,
        otherChain: otherChain.key,
        without: () => without.key,
      };
    },
    upstreamCalls: async () => {
      const calls = callsSchema.parse((await http(`${chainUrl}/control/calls`)).body);
      const passed = [`POST ${SIMULATE}`, "POST /graphql", "StateService/ListBalances"];
      return passed.reduce((sum, method) => sum + (calls[method] ?? 0), 0);
    },
  };
}

gatewaySecuritySuite(gateways, target);
