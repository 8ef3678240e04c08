import { GrpcTypes } from "@mysten/sui/grpc";
import { expect, test } from "vitest";
import { SUI_EXECUTE, SUI_STREAM_METHODS, SUI_UNARY_METHODS } from "../../shared/gateway/sui-methods.ts";

const SERVICES = [
  GrpcTypes.LedgerService,
  GrpcTypes.StateService,
  GrpcTypes.TransactionExecutionService,
  GrpcTypes.MovePackageService,
  GrpcTypes.SignatureVerificationService,
  GrpcTypes.NameService,
  GrpcTypes.SubscriptionService,
];

test("the methods that pass are those of the SDK that is installed, streams told apart", () => {
  const named = (streams: boolean) =>
    SERVICES.flatMap(({ typeName, methods }) =>
      methods
        .filter(({ serverStreaming }) => serverStreaming === streams)
        .map((method) => `${typeName}/${method.name}`),
    ).toSorted();
  expect([...SUI_UNARY_METHODS].toSorted()).toEqual(named(false));
  expect([...SUI_STREAM_METHODS].toSorted()).toEqual(named(true));
  expect(SUI_UNARY_METHODS).toContain(SUI_EXECUTE);
});
