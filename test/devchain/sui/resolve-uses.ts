import { GrpcTypes } from "@mysten/sui/grpc";
import { findFunction } from "./move/functions.ts";
import { isReceivingType, type MoveParameter, typeName } from "./move/types.ts";

/** One use of an input by a command, with what is known of what the command expects there. */
export type InputUse =
  | { readonly kind: "parameter"; readonly parameter: MoveParameter; readonly type: string }
  | { readonly kind: "pure"; readonly type: string }
  | { readonly kind: "element"; readonly type: string | undefined }
  | { readonly kind: "object" };

/** How commands use an input, in their order. */
export function usesOf(commands: readonly GrpcTypes.Command[], input: number): InputUse[] {
  const { Argument_ArgumentKind: Kind } = GrpcTypes;
  const isUse = (argument: GrpcTypes.Argument | undefined) => argument?.kind === Kind.INPUT && argument.input === input;
  return commands.flatMap(({ command }) =>
    argumentUses(command).flatMap(({ argument, use }) => (isUse(argument) ? [use] : [])),
  );
}

/** A shared object is taken mutably unless every use is by an immutable reference of a Move call. */
export function isMutable(use: InputUse): boolean {
  return use.kind !== "parameter" || use.parameter.reference !== "immutable";
}

export function isReceived(use: InputUse): boolean {
  return use.kind === "parameter" && isReceivingType(use.type);
}

interface ArgumentUse {
  readonly argument: GrpcTypes.Argument | undefined;
  readonly use: InputUse;
}

function argumentUses(command: GrpcTypes.Command["command"]): ArgumentUse[] {
  const object: InputUse = { kind: "object" };
  switch (command.oneofKind) {
    case "moveCall":
      return parameterUses(command.moveCall);
    case "splitCoins": {
      const { coin, amounts } = command.splitCoins;
      const amount: InputUse = { kind: "pure", type: "u64" };
      return [{ argument: coin, use: object }, ...amounts.map((argument) => ({ argument, use: amount }))];
    }
    case "mergeCoins": {
      const { coin, coinsToMerge } = command.mergeCoins;
      return [coin, ...coinsToMerge].map((argument) => ({ argument, use: object }));
    }
    case "transferObjects": {
      const { objects, address } = command.transferObjects;
      const recipient: InputUse = { kind: "pure", type: "address" };
      return [...objects.map((argument) => ({ argument, use: object })), { argument: address, use: recipient }];
    }
    case "makeMoveVector": {
      const { elements, elementType } = command.makeMoveVector;
      const element: InputUse = { kind: "element", type: elementType };
      return elements.map((argument) => ({ argument, use: element }));
    }
    default:
      return [];
  }
}

function parameterUses(call: GrpcTypes.MoveCall): ArgumentUse[] {
  const shape = findFunction(call.package ?? "0x0", call.module ?? "", call.function ?? "");
  return call.arguments.map((argument, position) => {
    const parameter = shape?.parameters[position];
    if (parameter === undefined) return { argument, use: { kind: "object" } };
    return { argument, use: { kind: "parameter", parameter, type: typeName(parameter.type, call.typeArguments) } };
  });
}
