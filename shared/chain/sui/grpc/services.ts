import type { GrpcTypes } from "@mysten/sui/grpc";
import type { GrpcFetch } from "./bounded-fetch.ts";
import { type CallOptions, call, type Reply } from "./call.ts";
import { decode } from "./codec.ts";

/**
 * The calls of a Sui node that Gasworks makes, typed as the SDK types them. The SDK's transport and messages would make
 * the bundle 25 KiB larger in gzip, and its whole client would add 17 KiB more.
 */

type Call<I, O> = (request: I, options?: CallOptions) => Reply<O>;

/** The services of one endpoint. */
export interface SuiServices {
  readonly ledgerService: {
    readonly getServiceInfo: Call<GrpcTypes.GetServiceInfoRequest, GrpcTypes.GetServiceInfoResponse>;
    readonly getEpoch: Call<GrpcTypes.GetEpochRequest, GrpcTypes.GetEpochResponse>;
    readonly batchGetObjects: Call<GrpcTypes.BatchGetObjectsRequest, GrpcTypes.BatchGetObjectsResponse>;
    readonly batchGetTransactions: Call<GrpcTypes.BatchGetTransactionsRequest, GrpcTypes.BatchGetTransactionsResponse>;
  };
  readonly stateService: {
    readonly getBalance: Call<GrpcTypes.GetBalanceRequest, GrpcTypes.GetBalanceResponse>;
    readonly listBalances: Call<GrpcTypes.ListBalancesRequest, GrpcTypes.ListBalancesResponse>;
    readonly listOwnedObjects: Call<GrpcTypes.ListOwnedObjectsRequest, GrpcTypes.ListOwnedObjectsResponse>;
  };
  readonly transactionExecutionService: {
    readonly executeTransaction: Call<GrpcTypes.ExecuteTransactionRequest, GrpcTypes.ExecuteTransactionResponse>;
    readonly simulateTransaction: Call<GrpcTypes.SimulateTransactionRequest, GrpcTypes.SimulateTransactionResponse>;
  };
  readonly movePackageService: {
    readonly getFunction: Call<GrpcTypes.GetFunctionRequest, GrpcTypes.GetFunctionResponse>;
  };
  readonly signatureVerificationService: {
    readonly verifySignature: Call<GrpcTypes.VerifySignatureRequest, GrpcTypes.VerifySignatureResponse>;
  };
}

/**
 * Returns the services at a URL, in the binary format of gRPC-web.
 *
 * @param fetch returns a whole reply, as `boundedFetch` does.
 */
export function suiServices(baseUrl: string, fetch: GrpcFetch): SuiServices {
  const root = `${baseUrl.replace(/\/$/, "")}/sui.rpc.v2`;
  const method =
    <I extends object, O>(service: string, name: string): Call<I, O> =>
    (request, options) =>
      call({ url: `${root}.${service}/${name}`, name, fetch }, request, options);
  return {
    ledgerService: {
      getServiceInfo: method("LedgerService", "GetServiceInfo"),
      getEpoch: method("LedgerService", "GetEpoch"),
      batchGetObjects: method("LedgerService", "BatchGetObjects"),
      batchGetTransactions: method("LedgerService", "BatchGetTransactions"),
    },
    stateService: {
      getBalance: method("StateService", "GetBalance"),
      listBalances: method("StateService", "ListBalances"),
      listOwnedObjects: method("StateService", "ListOwnedObjects"),
    },
    transactionExecutionService: {
      executeTransaction: method("TransactionExecutionService", "ExecuteTransaction"),
      simulateTransaction: method("TransactionExecutionService", "SimulateTransaction"),
    },
    movePackageService: { getFunction: method("MovePackageService", "GetFunction") },
    signatureVerificationService: { verifySignature: method("SignatureVerificationService", "VerifySignature") },
  };
}

/**
 * Returns the BCS of the transaction in an ExecuteTransactionRequest. Undefined if it has none. @throws if the message
 * has another form.
 */
export function transactionOfExecution(message: Uint8Array): Uint8Array | undefined {
  const { transaction } = decode("ExecuteTransactionRequest", message) as GrpcTypes.ExecuteTransactionRequest;
  return transaction?.bcs?.value;
}
