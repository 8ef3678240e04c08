import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { APTOS_NETWORK, createKey } from "../../shared/cli/client/admin.ts";
import { harness, newProject, serviceUrl, uniqueName } from "../harness/harness.ts";

/** What tests of the node interfaces over HTTP share. */

export const REST_URL = `${serviceUrl}/aptos/node/v1`;
export const GRAPHQL_URL = `${serviceUrl}/aptos/graphql/v1`;
export const SUI_NODE_URL = `${serviceUrl}/sui/node/v1`;

/** An access key of a project of its own, with the right for node interfaces; `fields` override. */
export async function newNodeKey(fields: object = {}) {
  const { id: keyId, key } = await createKey(harness, await newProject(), {
    name: uniqueName("node key"),
    network: APTOS_NETWORK,
    rights: ["node"],
    limits: { qps: 10_000, cups: 1_000_000 },
    ...fields,
  });
  return { keyId, key };
}

export type KeyPlace = "bearer" | "header";

/** The stock client, at the service's node interfaces. */
export function stockAptos(key: string, place: KeyPlace): Aptos {
  const clientConfig = place === "bearer" ? { API_KEY: key } : { HEADERS: { "X-Api-Key": key } };
  return new Aptos(
    new AptosConfig({ network: Network.CUSTOM, fullnode: REST_URL, indexer: GRAPHQL_URL, clientConfig }),
  );
}
