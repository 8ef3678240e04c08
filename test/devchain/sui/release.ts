import { GrpcTypes } from "@mysten/sui/grpc";

/** Which release of the node software an endpoint answers as. */
export const RELEASES = ["latest", "1.62"] as const;
export type Release = (typeof RELEASES)[number];

interface MessageType<Message> {
  fromBinary(bytes: Uint8Array): Message;
  toBinary(message: Message): Uint8Array;
}

type Rewrite = (message: Uint8Array) => Uint8Array;

function rewrite<Message>(type: MessageType<Message>, change: (message: Message) => void): Rewrite {
  return (bytes) => {
    const message = type.fromBinary(bytes);
    change(message);
    return type.toBinary(message);
  };
}

function withoutParts(balance: GrpcTypes.Balance | undefined): void {
  delete balance?.coinBalance;
  delete balance?.addressBalance;
}

function withoutDescription(transaction: GrpcTypes.ExecutedTransaction | undefined): void {
  delete transaction?.effects?.status?.error?.description;
  delete transaction?.effects?.gasObject?.objectType;
}

/** A transaction that is read has no types of objects and no balance changes; one that was executed just now has. */
function asRead(transaction: GrpcTypes.ExecutedTransaction | undefined): void {
  withoutDescription(transaction);
  for (const changed of transaction?.effects?.changedObjects ?? []) delete changed.objectType;
  if (transaction !== undefined) transaction.balanceChanges = [];
}

/** What sui-node 1.62 does not say: recorded, `truth/recorded`. */
const OF_1_62: Readonly<Record<string, Rewrite>> = {
  "StateService/GetBalance": rewrite(GrpcTypes.GetBalanceResponse, ({ balance }) => withoutParts(balance)),
  "StateService/ListBalances": rewrite(GrpcTypes.ListBalancesResponse, ({ balances }) =>
    balances.forEach(withoutParts),
  ),
  "LedgerService/GetTransaction": rewrite(GrpcTypes.GetTransactionResponse, ({ transaction }) => asRead(transaction)),
  "LedgerService/BatchGetTransactions": rewrite(GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const { result } of transactions) if (result.oneofKind === "transaction") asRead(result.transaction);
  }),
  "TransactionExecutionService/ExecuteTransaction": rewrite(GrpcTypes.ExecuteTransactionResponse, ({ transaction }) =>
    withoutDescription(transaction),
  ),
  "TransactionExecutionService/SimulateTransaction": rewrite(
    GrpcTypes.SimulateTransactionResponse,
    ({ transaction }) => {
      withoutDescription(transaction);
      delete transaction?.digest;
    },
  ),
};

/** A method's response message as a release of the node software words it. */
export function asRelease(release: Release, method: string, message: Uint8Array): Uint8Array {
  return release === "latest" ? message : (OF_1_62[method]?.(message) ?? message);
}
