import { GrpcTypes } from "@mysten/sui/grpc";
import type { Execution } from "../execute.ts";
import { estimateBudget } from "../gas.ts";
import { executedProto, type Ledger } from "../ledger.ts";
import { type Mask, parseMask, submask } from "../masks.ts";
import { encodeUleb } from "../move/pure.ts";
import type { MoveValue } from "../move/types.ts";
import { coinBalance, SUI_COIN_TYPE } from "../objects.ts";
import { argumentProto } from "../proto.ts";
import { encodeResolved, type ResolvedTransaction, resolveTransaction } from "../resolve.ts";
import { invalidArgument } from "../status.ts";
import type { ObjectStore } from "../store.ts";
import { type DecodedTransaction, decodeTransaction, gasBudget } from "../transaction.ts";
import { LIMITS } from "../validate.ts";
import type { ChainView } from "../view.ts";
import { maskTransaction } from "./ledger-service.ts";
import { type Methods, unary } from "./method.ts";

const EXECUTE_MASK = ["effects.status", "checkpoint"];

export function executionService(view: () => ChainView, ledger: Ledger): Methods {
  return {
    "TransactionExecutionService/ExecuteTransaction": unary(
      GrpcTypes.ExecuteTransactionRequest,
      GrpcTypes.ExecuteTransactionResponse,
      async (request) => {
        const mask = parseMask(GrpcTypes.ExecutedTransaction, request.readMask?.paths ?? EXECUTE_MASK);
        const bytes = request.transaction?.bcs?.value;
        if (bytes === undefined) throw invalidArgument("invalid transaction: only BCS transactions are executed here");
        const signatures = request.signatures.map(({ bcs }, index) => {
          if (bcs?.value === undefined) throw invalidArgument(`invalid signature: signatures[${index}] has no bcs`);
          return bcs.value;
        });
        const committed = await ledger.submit(decodeTransaction(bytes), signatures);
        return { transaction: maskTransaction(committed, mask) };
      },
    ),

    "TransactionExecutionService/SimulateTransaction": unary(
      GrpcTypes.SimulateTransactionRequest,
      GrpcTypes.SimulateTransactionResponse,
      (request) => {
        const mask: Mask =
          request.readMask === undefined
            ? "all"
            : parseMask(GrpcTypes.SimulateTransactionResponse, request.readMask.paths);
        const execution = simulate(view(), ledger, request);
        const transactionMask = submask(mask, "transaction");
        return {
          ...(transactionMask && { transaction: simulatedTransaction(execution, transactionMask) }),
          commandOutputs: submask(mask, "command_outputs") ? execution.commandResults.map(commandOutputProto) : [],
        };
      },
    ),
  };
}

/** A node simulates on what it shows: one that lags resolves versions that are consumed already. */
function simulate(view: ChainView, ledger: Ledger, request: GrpcTypes.SimulateTransactionRequest): Execution {
  const given = request.transaction;
  if (given === undefined) throw invalidArgument("missing transaction");
  const { store } = view;
  const { referenceGasPrice } = view.epoch;
  const checked = request.checks !== GrpcTypes.SimulateTransactionRequest_TransactionChecks.DISABLED;
  const bytes = given.bcs?.value;
  if (bytes !== undefined) {
    const transaction = decodeTransaction(bytes);
    const selected = request.doGasSelection && checked ? withSelectedGas(store, transaction) : transaction;
    return ledger.simulate(selected, checked ? "simulate" : "inspect", view);
  }
  const resolved = resolveTransaction(store, given, referenceGasPrice);
  if (!checked) return ledger.simulate(encodeResolved(resolved.data), "inspect", view);
  const budgeted = request.doGasSelection ? withEstimatedBudget(view, ledger, resolved) : resolved.data;
  const transaction = encodeResolved(budgeted);
  return ledger.simulate(request.doGasSelection ? withSelectedGas(store, transaction) : transaction, "simulate", view);
}

/** Fills in the budget that a first simulation asks for, when the caller gave none. */
function withEstimatedBudget(
  view: ChainView,
  ledger: Ledger,
  { data, budgetWasGiven }: ResolvedTransaction,
): ResolvedTransaction["data"] {
  if (budgetWasGiven) return data;
  const { gas } = ledger.simulate(encodeResolved(data), "simulate", view);
  const estimate = estimateBudget(gas, view.epoch.referenceGasPrice);
  const available = BigInt(data.gasData.budget);
  if (available < estimate) {
    throw invalidArgument(
      "Insufficient gas balance to cover estimated transaction cost. " +
        `Available gas balance: ${available} MIST. Estimated gas budget required: ${estimate} MIST`,
    );
  }
  return { ...data, gasData: { ...data.gasData, budget: estimate } };
}

/** Pays with the payer's largest coins that the transaction does not use otherwise (sui-rpc-api: `select_gas`). */
function withSelectedGas(store: ObjectStore, transaction: DecodedTransaction): DecodedTransaction {
  const { data } = transaction;
  if (data.gasData.payment.length > 0) return transaction;
  const inputs = new Set(
    transaction.programmable.inputs.flatMap((input) => input.Object?.ImmOrOwnedObject?.objectId ?? []),
  );
  const wanted = LIMITS.maxGasObjects + inputs.size;
  const coins = store
    .ownedObjects(transaction.gasOwner, SUI_COIN_TYPE, undefined, wanted)
    .objects.filter(({ id }) => !inputs.has(id))
    .slice(0, LIMITS.maxGasObjects);
  const balance = coins.reduce((total, coin) => total + coinBalance(coin.contents), 0n);
  if (balance < gasBudget(transaction)) {
    throw invalidArgument(
      "Unable to perform gas selection due to insufficient SUI balance (in address balance or coins) for account " +
        `${transaction.gasOwner} to satisfy required budget ${gasBudget(transaction)}.`,
    );
  }
  const payment = coins.map(({ id, version, digest }) => ({ objectId: id, version, digest }));
  return encodeResolved({ ...data, gasData: { ...data.gasData, payment } });
}

function simulatedTransaction(execution: Execution, mask: Mask): GrpcTypes.ExecutedTransaction {
  const executed = GrpcTypes.ExecutedTransaction.create(executedProto(execution));
  return maskTransaction({ bytes: execution.transaction.bytes, executed }, mask);
}

function commandOutputProto({ returned, mutated }: Execution["commandResults"][number]): GrpcTypes.CommandResult {
  return {
    returnValues: returned.map(valueProto),
    mutatedByRef: mutated.map(({ argument, object }) => ({
      argument: argumentProto(argument),
      value: { name: object.type, value: object.contents },
    })),
  };
}

function valueProto(value: MoveValue): GrpcTypes.CommandOutput {
  switch (value.kind) {
    case "object":
      return { value: { name: value.object.type, value: value.object.contents } };
    case "data":
      return { value: { name: value.type, value: value.bytes } };
    case "pure":
      return { value: { value: value.bytes } };
    case "vector": {
      const contents = value.objects.map((object) => object.contents);
      const bytes = Buffer.concat([encodeUleb(contents.length), ...contents]);
      return { value: { name: `vector<${value.elementType}>`, value: bytes } };
    }
  }
}
