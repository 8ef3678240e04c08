import { GrpcTypes } from "@mysten/sui/grpc";
import { isValidSuiNSName } from "@mysten/sui/utils";
import { invalidArgument, notFound } from "../status.ts";
import { parseAddress } from "../transaction.ts";
import { type Methods, unary } from "./method.ts";

/** No name is ever registered on this chain. As a node of a network that has the name service says it: no message. */
export function nameService(): Methods {
  return {
    "NameService/LookupName": unary(GrpcTypes.LookupNameRequest, GrpcTypes.LookupNameResponse, ({ name }) => {
      if (name === undefined || !isValidSuiNSName(name)) throw invalidArgument(`invalid domain: ${name ?? "missing"}`);
      throw notFound("");
    }),

    "NameService/ReverseLookupName": unary(
      GrpcTypes.ReverseLookupNameRequest,
      GrpcTypes.ReverseLookupNameResponse,
      ({ address }) => {
        parseAddress("address", address);
        throw notFound("");
      },
    ),
  };
}
