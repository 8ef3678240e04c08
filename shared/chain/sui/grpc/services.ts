import { GrpcTypes, GrpcWebFetchTransport, type SuiGrpcClient } from "@mysten/sui/grpc";

/**
 * The calls of a Sui node that Gasworks makes, over the SDK's transport and messages. The SDK's whole client also
 * builds transactions and resolves names, which is not needed here. Without it the bundle is 17 KiB smaller in gzip.
 */

type Transport = InstanceType<typeof GrpcWebFetchTransport>;
type Method = Parameters<Transport["unary"]>[0];
type Options = Parameters<Transport["mergeOptions"]>[0];

/** The services of one endpoint, typed as the SDK types them. */
export interface SuiServices {
  readonly ledgerService: Pick<
    SuiGrpcClient["ledgerService"],
    "getServiceInfo" | "getEpoch" | "batchGetObjects" | "batchGetTransactions"
  >;
  readonly stateService: Pick<SuiGrpcClient["stateService"], "getBalance" | "listBalances" | "listOwnedObjects">;
  readonly transactionExecutionService: Pick<
    SuiGrpcClient["transactionExecutionService"],
    "executeTransaction" | "simulateTransaction"
  >;
  readonly movePackageService: Pick<SuiGrpcClient["movePackageService"], "getFunction">;
  readonly signatureVerificationService: Pick<SuiGrpcClient["signatureVerificationService"], "verifySignature">;
}

/**
 * Returns the services at a URL, in the binary format of gRPC-web.
 *
 * @param fetch bounds each reply, as `boundedFetch` does.
 */
export function suiServices(baseUrl: string, fetch: typeof globalThis.fetch): SuiServices {
  const transport = new GrpcWebFetchTransport({ baseUrl, format: "binary", fetch });
  return {
    ledgerService: callsOf(GrpcTypes.LedgerService.methods, transport) as SuiServices["ledgerService"],
    stateService: callsOf(GrpcTypes.StateService.methods, transport) as SuiServices["stateService"],
    transactionExecutionService: callsOf(
      GrpcTypes.TransactionExecutionService.methods,
      transport,
    ) as SuiServices["transactionExecutionService"],
    movePackageService: callsOf(GrpcTypes.MovePackageService.methods, transport) as SuiServices["movePackageService"],
    signatureVerificationService: callsOf(
      GrpcTypes.SignatureVerificationService.methods,
      transport,
    ) as SuiServices["signatureVerificationService"],
  };
}

/** Returns a call for each method of a service. Each has one request and one reply. */
function callsOf(methods: readonly Method[], transport: Transport) {
  return Object.fromEntries(
    methods.map((method) => [
      method.localName,
      (input: object, options?: Options) => transport.unary(method, input, transport.mergeOptions(options)),
    ]),
  );
}

/**
 * Returns the BCS of the transaction in an ExecuteTransactionRequest. Undefined if it has none. @throws if the message
 * has another form.
 */
export function transactionOfExecution(message: Uint8Array): Uint8Array | undefined {
  return GrpcTypes.ExecuteTransactionRequest.fromBinary(message).transaction?.bcs?.value;
}
