import * as z from "zod";
import { fullTarget } from "../policy/move-targets.ts";
import { contract } from "./contract.ts";
import type { RestContract } from "./rest.ts";
import { suiExecuteTransactionBlock, suiSponsorErrors } from "./sui-gas.ts";
import { executeExample, prepareExample } from "./sui-gas-examples.ts";
import { base64Bytes, serializedSignatureSchema, suiAddress, transactionDigestSchema } from "./sui-values.ts";

const MAX_LISTED = 256;
const MAX_TARGET_CHARACTERS = 330;
/** The header with which that service's clients send a token of zkLogin. */
const ZKLOGIN_HEADER = "zklogin-jwt";
const USE_WALLETS = "zkLogin is not served here: use an embedded wallet (/sui/wallet/v1), or the user's own wallet";
const USE_SENDER = "send the address that signs as sender, from a back end: zkLogin is not served here";

const moveTarget = z
  .string("must be a Move target: 0x…::module::function")
  .max(MAX_TARGET_CHARACTERS, { error: `must have at most ${MAX_TARGET_CHARACTERS} characters`, abort: true })
  .regex(/^0x[0-9a-fA-F]{1,64}(::[A-Za-z_][A-Za-z0-9_]{0,127}){2}$/, "must be a Move target: 0x…::module::function")
  .overwrite(fullTarget);

const atMostListed = { error: `must have at most ${MAX_LISTED} entries`, abort: true };

/** The contract of the operation that reads the configuration of the key's app. This service has none. */
export const enokiGetApp = contract({
  name: "enoki_getApp",
  stores: "little",
  summary: "Read the configuration of the app.",
  description: "Every list is empty: the service has no origins, no providers of zkLogin and no domains.",
  rights: ["gas"],
  idempotent: false,
  params: z.object({}),
  result: z.object({
    allowedOrigins: z.array(z.string()),
    authenticationProviders: z.array(z.object({ providerType: z.string(), clientId: z.string() })),
    domains: z.array(z.object({ nftId: z.string(), name: z.string(), network: z.string() })),
  }),
  errors: [],
  example: { params: [], result: { allowedOrigins: [], authenticationProviders: [], domains: [] } },
});

const [kindExample, senderExample] = prepareExample.params;
const { txBytes, txDigest } = prepareExample.result;
const CALLED = ["0x2::balance::zero", "0x2::balance::destroy_zero"];

/** The contract of the operation that prepares a sponsored transaction. */
export const enokiCreateSponsoredTransaction = contract({
  name: "enoki_createSponsoredTransaction",
  stores: "promise",
  summary: "Attach a gas object of the fund to a transaction kind, without signing.",
  description:
    "Does what `gas_prepareTransactionBlock` does, within lists of the call. The lists narrow what the key's policy allows, and never widen it.",
  rights: ["gas"],
  idempotent: true,
  params: z.object({
    transactionBlockKindBytes: base64Bytes.describe("BCS of the transaction kind."),
    sender: suiAddress.describe("Sui address of the sender."),
    network: z
      .enum(["mainnet", "testnet", "devnet", "localnet"], "must be mainnet, testnet, devnet or localnet")
      .default("mainnet")
      .describe("The network of the key's fund. The stock client knows no localnet."),
    allowedAddresses: z
      .array(suiAddress, "must be a list of Sui addresses")
      .max(MAX_LISTED, atMostListed)
      .optional()
      .describe("The addresses that may get objects, beside the sender. Left out: the key's policy alone decides."),
    allowedMoveCallTargets: z
      .array(moveTarget, "must be a list of Move targets")
      .max(MAX_LISTED, atMostListed)
      .optional()
      .describe("The functions that the transaction may call. Left out: the key's policy alone decides."),
  }),
  result: z.object({
    bytes: base64Bytes.describe("BCS of the transaction data. The sender signs these bytes."),
    digest: transactionDigestSchema,
  }),
  errors: suiSponsorErrors,
  example: {
    params: [kindExample, senderExample, "testnet", [senderExample], CALLED],
    result: { bytes: txBytes, digest: txDigest },
  },
});

/** The contract of the operation that executes a sponsored transaction. */
export const enokiExecuteSponsoredTransaction = contract({
  name: "enoki_executeSponsoredTransaction",
  stores: "little",
  summary: "Sign a prepared transaction as sponsor and execute it.",
  description:
    "Does what `gas_executeTransactionBlock` does, and answers with the digest alone. An abort on chain is a result, not an error.",
  rights: ["gas"],
  idempotent: true,
  params: z.object({
    digest: transactionDigestSchema.describe("The digest that the sponsorship returned."),
    signature: serializedSignatureSchema.describe("The sender's signature over the bytes."),
  }),
  result: z.object({ digest: transactionDigestSchema }),
  errors: suiExecuteTransactionBlock.errors,
  example: { params: executeExample.params, result: { digest: txDigest } },
});

/** The contract of sponsored transactions as the npm package @mysten/enoki sends them. */
export const enoki: RestContract = {
  name: "enoki",
  title: "Sponsored transactions (Sui) as @mysten/enoki sends them",
  chain: "sui",
  path: "/enoki/v1",
  operations: [
    { httpMethod: "GET", path: "/app", contract: enokiGetApp },
    {
      httpMethod: "POST",
      path: "/transaction-blocks/sponsor",
      contract: enokiCreateSponsoredTransaction,
      notServed: (headers, body) =>
        headers.has(ZKLOGIN_HEADER) || body.sender === undefined || body.sender === null ? USE_SENDER : null,
    },
    {
      httpMethod: "POST",
      path: "/transaction-blocks/sponsor/:digest",
      contract: enokiExecuteSponsoredTransaction,
    },
  ],
  notServed: [
    { path: "/zklogin", instead: USE_WALLETS },
    { path: "/subnames", instead: "names are not served here: use SuiNS itself" },
  ],
  resultBody: (data) => ({ data }),
  errorBody: ({ code, message, data }) => ({ errors: [{ code, message, data }] }),
};
