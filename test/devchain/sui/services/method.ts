import { GrpcTypes } from "@mysten/sui/grpc";
import { invalidArgument } from "../status.ts";

export const RPC_PACKAGE = "sui.rpc.v2.";

/** One method on the wire: the encoded request in, the encoded responses out, of which a unary one has one. */
export type Method = (request: Uint8Array) => Promise<readonly Uint8Array[]>;

/** Methods by `<Service>/<Method>`. */
export type Methods = Readonly<Record<string, Method>>;

interface InputType<Request> {
  fromBinary(bytes: Uint8Array): Request;
}

interface OutputType<Response> {
  toBinary(message: Response): Uint8Array;
}

/** Binds a handler to the generated message types of its request and response. */
export function unary<Request, Response>(
  input: InputType<Request>,
  output: OutputType<Response>,
  handle: (request: Request) => Response | Promise<Response>,
): Method {
  return stream(input, output, async (request) => [await handle(request)]);
}

/** The same for a method that answers with several messages. */
export function stream<Request, Response>(
  input: InputType<Request>,
  output: OutputType<Response>,
  handle: (request: Request) => readonly Response[] | Promise<readonly Response[]>,
): Method {
  return async (bytes) => {
    let request: Request;
    try {
      request = input.fromBinary(bytes);
    } catch (error) {
      throw invalidArgument(`undecodable request: ${error instanceof Error ? error.message : "not protobuf"}`);
    }
    return (await handle(request)).map((message) => output.toBinary(message));
  };
}

/** Every method that a full node has, by `<Service>/<Method>`, whether or not this chain serves it. */
export const NODE_METHODS: ReadonlySet<string> = new Set(
  [
    GrpcTypes.LedgerService,
    GrpcTypes.StateService,
    GrpcTypes.TransactionExecutionService,
    GrpcTypes.MovePackageService,
    GrpcTypes.SignatureVerificationService,
    GrpcTypes.NameService,
    GrpcTypes.SubscriptionService,
  ].flatMap((service) =>
    service.methods.map((method) => `${service.typeName.slice(RPC_PACKAGE.length)}/${method.name}`),
  ),
);
