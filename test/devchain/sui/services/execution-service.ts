import { GrpcTypes } from "@mysten/sui/grpc";
import type { Execution } from "../execute.ts";
import { withEstimatedBudget, withSelectedGas } from "../gas-selection.ts";
import { renderJson } from "../json.ts";
import { executedProto, type Ledger, touchedObjects } from "../ledger.ts";
import { type Mask, parseMask, submask } from "../masks.ts";
import type { MoveValue } from "../move/types.ts";
import { renderValue } from "../move/values.ts";
import { argumentProto } from "../proto.ts";
import { encodeResolved, resolveTransaction } from "../resolve.ts";
import { invalidArgument, TransactionRefusal } from "../status.ts";
import { decodeTransaction } from "../transaction.ts";
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
        const execution = simulated(() => simulate(view(), ledger, request));
        const transactionMask = submask(mask, "transaction");
        return {
          ...(transactionMask && { transaction: simulatedTransaction(execution, transactionMask) }),
          commandOutputs: submask(mask, "command_outputs") ? execution.commandResults.map(commandOutputProto) : [],
        };
      },
    ),
  };
}

/** A node words what it refuses to simulate in another way than what it refuses to execute. */
function simulated(run: () => Execution): Execution {
  try {
    return run();
  } catch (error) {
    throw error instanceof TransactionRefusal ? error.ofSimulation : error;
  }
}

/** A node simulates on what it shows: one that lags resolves versions that are consumed already. */
function simulate(view: ChainView, ledger: Ledger, request: GrpcTypes.SimulateTransactionRequest): Execution {
  const given = request.transaction;
  if (given === undefined) throw invalidArgument("missing transaction");
  const { store } = view;
  const { chainId } = ledger;
  const { referenceGasPrice } = view.epoch;
  const checked = request.checks !== GrpcTypes.SimulateTransactionRequest_TransactionChecks.DISABLED;
  const bytes = given.bcs?.value;
  if (bytes !== undefined) {
    const transaction = decodeTransaction(bytes);
    const selected = request.doGasSelection && checked ? withSelectedGas(view, chainId, transaction) : transaction;
    return ledger.simulate(selected, checked ? "simulate" : "inspect", view);
  }
  const resolved = resolveTransaction(store, given, referenceGasPrice);
  if (!checked) return ledger.simulate(encodeResolved(resolved.data), "inspect", view);
  const budgeted = request.doGasSelection ? withEstimatedBudget(view, ledger, resolved) : resolved.data;
  const transaction = encodeResolved(budgeted);
  const selected = request.doGasSelection ? withSelectedGas(view, chainId, transaction) : transaction;
  return ledger.simulate(selected, "simulate", view);
}

function simulatedTransaction(execution: Execution, mask: Mask): GrpcTypes.ExecutedTransaction {
  const executed = GrpcTypes.ExecutedTransaction.create(executedProto(execution));
  return maskTransaction(
    { bytes: execution.transaction.bytes, executed, objects: touchedObjects(execution) },
    mask,
    "all",
  );
}

function commandOutputProto({ returned, mutated }: Execution["commandResults"][number]): GrpcTypes.CommandResult {
  return {
    returnValues: returned.map(outputProto),
    mutatedByRef: mutated.map(({ argument, value }) => ({ argument: argumentProto(argument), ...outputProto(value) })),
  };
}

/** With the JSON of a value whose type this chain can render. */
function outputProto(value: MoveValue): GrpcTypes.CommandOutput {
  const rendered = renderValue(value);
  const json = rendered.name === undefined ? undefined : renderJson(rendered.name, rendered.value);
  return { value: rendered, ...(json && { json }) };
}
