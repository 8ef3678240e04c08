import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { aliasesId } from "../../../shared/chain/sui/aliases.ts";
import { FunctionSignatures } from "../../../shared/chain/sui/function-signatures.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { messageOf, withMessage } from "../../byzantine-node/altered-reply.ts";
import { type SuiExchange, suiExchanges } from "../../devchain/truth/sui-exchanges.ts";
import { type Asked, type AskedReply, asked, hasMessage, METHODS, NODE_URL, type Port } from "./asked-again.ts";
import { ZK_LOGIN_ADDRESS, zkLoginSignature } from "./zk-login.ts";

/** Each method of the port but the one that is the same port for one call, and what reads signatures of functions. */
export type Read = Exclude<keyof SuiNode, "within"> | "functionSignatures";

const EXECUTE = "TransactionExecutionService/ExecuteTransaction";
const BATCH = "LedgerService/BatchGetTransactions";
const exchanges = suiExchanges();

function recordedOf(method: string): readonly SuiExchange[] {
  return exchanges.filter((exchange) => exchange.method === method);
}

/** A reply that was not recorded in this form, in the frames of one that was. */
function fabricated(method: string, request: Uint8Array, message: Uint8Array): SuiExchange {
  const frames = recordedOf(EXECUTE).find(hasMessage);
  if (frames === undefined) throw new Error("nothing is recorded");
  return { ...frames, method, request, body: withMessage(frames.body, message) };
}

/** Recorded executions, as a look-up shows them. */
const lookUps = recordedOf(EXECUTE)
  .filter(hasMessage)
  .flatMap(({ body }) => {
    const { transaction } = GrpcTypes.ExecuteTransactionResponse.fromBinary(messageOf(body));
    if (transaction?.digest === undefined) return [];
    const request = GrpcTypes.BatchGetTransactionsRequest.create({ digests: [transaction.digest] });
    const found = { ...transaction, checkpoint: 1n, timestamp: { seconds: 1_790_000_000n, nanos: 0 } };
    const reply = { transactions: [{ result: { oneofKind: "transaction" as const, transaction: found } }] };
    const message = GrpcTypes.BatchGetTransactionsResponse.toBinary(reply);
    return [fabricated(BATCH, GrpcTypes.BatchGetTransactionsRequest.toBinary(request), message)];
  });

/** An address with two aliases, and one that has never had any. */
const aliased = [
  {
    oneofKind: "object" as const,
    object: GrpcTypes.Object.create({
      contents: {
        value: bcs
          .struct("AddressAliases", { id: bcs.Address, aliases: bcs.vector(bcs.Address) })
          .serialize({ id: aliasesId(ZK_LOGIN_ADDRESS), aliases: [ZK_LOGIN_ADDRESS, aliasesId(ZK_LOGIN_ADDRESS)] })
          .toBytes(),
      },
    }),
  },
  { oneofKind: "error" as const, error: { code: 5, message: "not found", details: [] } },
].map((result) =>
  fabricated(
    "LedgerService/BatchGetObjects",
    new Uint8Array(),
    GrpcTypes.BatchGetObjectsResponse.toBinary({ objects: [{ result }] }),
  ),
);

const signed = Uint8Array.of(1, 2, 3);
const { signature: userSignature } = await Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(7)).signTransaction(
  signed,
);
const zkLogin = zkLoginSignature(userSignature);
/** Of zkLogin, the one scheme that a node is asked about. */
const verdicts = [{ isValid: true }, { isValid: false, reason: "an expired proof" }].map((verdict) =>
  fabricated(
    "SignatureVerificationService/VerifySignature",
    new Uint8Array(),
    GrpcTypes.VerifySignatureResponse.toBinary(verdict),
  ),
);

function lookUpBy(ask: (node: SuiNode, digests: string[]) => Promise<unknown>): Asked {
  const { BatchGetTransactionsRequest: Request, BatchGetTransactionsResponse: Reply } = GrpcTypes;
  return asked(Request, Reply, (node, { digests }) => ask(node, digests));
}

async function parametersOf(
  { fetch }: Port,
  { packageId = "", moduleName = "", name = "" }: GrpcTypes.GetFunctionRequest,
) {
  const clock = { nowMs: () => 0, alarmAtMs: (atMs: number) => atMs };
  const called = { package: packageId, module: moduleName, function: name };
  const signatures = new FunctionSignatures({ urls: () => [NODE_URL], fetch, clock });
  return { ok: true, value: (await signatures.of("SUI_LOCALNET", [called], 10_000))(called) };
}

const {
  BatchGetObjectsRequest,
  ListOwnedObjectsRequest,
  ListBalancesRequest,
  VerifySignatureRequest,
  GetFunctionRequest,
} = GrpcTypes;

/** How each is asked, and for which replies. */
const READS: Readonly<Record<Read, readonly (readonly [readonly SuiExchange[], Asked])[]>> = {
  chainFacts: recorded("LedgerService/GetServiceInfo", "LedgerService/GetEpoch"),
  balances: recorded("StateService/GetBalance"),
  lookUp: [...recorded(BATCH), [lookUps, lookUpBy((node, digests) => node.lookUp(digests, "full"))]],
  gasOwners: [[lookUps, lookUpBy((node, digests) => node.gasOwners(digests))]],
  rawEffects: [[lookUps, lookUpBy((node, [digest = ""]) => node.rawEffects(digest))]],
  aliases: [
    [
      aliased,
      asked(BatchGetObjectsRequest, GrpcTypes.BatchGetObjectsResponse, (node) => node.aliases(ZK_LOGIN_ADDRESS)),
    ],
  ],
  submit: recorded(EXECUTE),
  dryRun: recorded("TransactionExecutionService/SimulateTransaction"),
  coins: recorded("StateService/ListOwnedObjects"),
  observeCoins: recorded("LedgerService/BatchGetObjects"),
  owned: [
    [
      recordedOf("StateService/ListOwnedObjects"),
      asked(ListOwnedObjectsRequest, GrpcTypes.ListOwnedObjectsResponse, (node, { owner }) =>
        node.owned(owner ?? "", null),
      ),
    ],
  ],
  typeBalances: [
    [
      recordedOf("StateService/ListBalances"),
      asked(ListBalancesRequest, GrpcTypes.ListBalancesResponse, (node, { owner }) =>
        node.typeBalances(owner ?? "", null),
      ),
    ],
  ],
  verifySignature: [
    [
      verdicts,
      asked(VerifySignatureRequest, GrpcTypes.VerifySignatureResponse, (node) =>
        node.verifySignature(signed, zkLogin, ZK_LOGIN_ADDRESS),
      ),
    ],
  ],
  functionSignatures: [
    [
      recordedOf("MovePackageService/GetFunction"),
      asked(GetFunctionRequest, GrpcTypes.GetFunctionResponse, (node, request, fetch) =>
        parametersOf({ node, fetch }, request),
      ),
    ],
  ],
};

function recorded(...methods: readonly string[]): readonly (readonly [readonly SuiExchange[], Asked])[] {
  return methods.flatMap((method) => {
    const how = METHODS[method];
    return how === undefined ? [] : [[recordedOf(method), how] as const];
  });
}

/** Every reply that the port can be asked for here. */
export const everyReply: readonly (AskedReply & { readonly read: string })[] = Object.entries(READS).flatMap(
  ([read, ways]) =>
    ways.flatMap(([replies, how]) =>
      replies.map((exchange, index) => ({ name: `${read} ${index} ${exchange.method}`, read, exchange, how })),
    ),
);
