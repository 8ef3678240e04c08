import { SuiGraphQLClient } from "@mysten/sui/graphql";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { describe, expect, test } from "vitest";
import { SUI_NETWORK } from "../../shared/cli/client/admin.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { sui as direct, giveSui, serviceUrl } from "../harness/harness.ts";
import { newNodeKey, SUI_NODE_URL } from "./gateways.ts";

const clients = {
  "in the header": (key: string, format: "binary" | "text") =>
    new SuiGrpcClient({ network: "localnet", baseUrl: SUI_NODE_URL, format, meta: { "x-api-key": key } }),
  "as a bearer token": (key: string, format: "binary" | "text") =>
    new SuiGrpcClient({ network: "localnet", baseUrl: SUI_NODE_URL, format, meta: { authorization: `Bearer ${key}` } }),
  "in the path": (key: string, format: "binary" | "text") =>
    new SuiGrpcClient({ network: "localnet", baseUrl: `${SUI_NODE_URL}/${key}`, format }),
} as const;

describe.each(Object.entries(clients))(
  "the stock SuiGrpcClient does its work through the gateway, key %s",
  (_, clientOf) => {
    test.each(["binary", "text"] as const)("reads, builds, simulates and executes, in the %s form", async (format) => {
      const { key } = await newNodeKey({ network: SUI_NETWORK });
      const client = clientOf(key, format);
      const { response: info } = await client.ledgerService.getServiceInfo({});
      expect(info.chainId).toBe((await direct.ledgerService.getServiceInfo({})).response.chainId);

      const user = new Ed25519Keypair();
      const owner = user.toSuiAddress();
      await giveSui(owner, 1_000_000_000n);
      expect(await client.getBalance({ owner })).toEqual(await direct.getBalance({ owner }));
      const transaction = new Transaction();
      transaction.setSender(owner);
      transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("gateway")] });
      const bytes = await transaction.build({ client });
      const { signature } = await user.signTransaction(bytes);
      const executed = await client.executeTransaction({ transaction: bytes, signatures: [signature] });
      const { digest } = executed.Transaction ?? executed.FailedTransaction;
      expect(executed.Transaction?.status).toMatchObject({ success: true });
      const found = await client.waitForTransaction({ digest });
      expect((found.Transaction ?? found.FailedTransaction).digest).toBe(digest);
    });
  },
);

test("what a node refuses reaches the client as the node said it", async () => {
  const { key } = await newNodeKey({ network: SUI_NETWORK });
  const client = clients["in the header"](key, "binary");
  const digest = "11111111111111111111111111111111";
  const told = (one: SuiGrpcClient) => one.getTransaction({ digest }).catch((error: unknown) => String(error));
  expect(await told(client)).toBe(await told(direct));
});

test("Sui's GraphQL is not served, and a stock client of it learns that", async () => {
  const { key } = await newNodeKey({ network: SUI_NETWORK });
  const paths: string[] = [];
  const client = new SuiGraphQLClient({
    network: "localnet",
    url: `${serviceUrl}/sui/graphql/v1`,
    headers: { "x-api-key": key },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      paths.push(`${response.status} ${new URL(response.url).pathname}`);
      return response;
    },
  });
  await expect(client.getReferenceGasPrice()).rejects.toThrow();
  expect(paths).toEqual(["404 /sui/graphql/v1"]);
});
