import { type ScriptFunctionArgument, Serializer } from "@aptos-labs/ts-sdk";
import { type Address, displayAddress } from "../address.ts";
import { toHex } from "../hex.ts";

import { addressOf, type Executable } from "../signed.ts";
import { isSigner, type MoveFunction } from "./function.ts";
import { findFunction, hasModule } from "./modules.ts";
import { findScript } from "./scripts.ts";
import { canonicalType, instantiate } from "./types.ts";
import { decodeValue, type MoveValue } from "./values.ts";
import { failedWith, type World } from "./world.ts";

/** How script arguments are tagged by type (transaction_argument.rs); 9 is any value, serialized. */
const SCRIPT_ARGUMENT_TYPES = ["u8", "u64", "u128", "address", "vector<u8>", "bool", "u16", "u32", "u256"];
const SERIALIZED_ARGUMENT = 9;

/** What a payload calls, as far as it is known here; arguments are still bytes. */
export interface Target {
  /** `0x1::aptos_account::transfer`, or undefined for a script. */
  readonly id: string | undefined;
  readonly module: string;
  readonly definition: MoveFunction | undefined;
  readonly typeArguments: readonly string[];
  /** BCS of each argument, and the type that a script's says of itself. */
  readonly raw: readonly { readonly type: string | undefined; readonly bytes: Uint8Array }[];
}

export function targetOf(executable: Executable): Target {
  if (executable.kind === "script") {
    const { bytecode, type_args: typeArguments, args } = executable.script;
    return {
      id: undefined,
      module: "script",
      definition: findScript(toHex(bytecode)),
      typeArguments: typeArguments.map((type) => canonicalType(type.toString())),
      raw: args.map(scriptArgument),
    };
  }
  const { module_name: module, function_name: name, type_args: typeArguments, args } = executable.call;
  const moduleName = `${displayAddress(addressOf(module.address))}::${module.name.identifier}`;
  const id = `${moduleName}::${name.identifier}`;
  return {
    id,
    module: moduleName,
    definition: findFunction(id),
    typeArguments: typeArguments.map((type) => canonicalType(type.toString())),
    raw: args.map((argument) => ({ type: undefined, bytes: argument.bcsToBytes() })),
  };
}

function scriptArgument(argument: ScriptFunctionArgument): Target["raw"][number] {
  const serializer = new Serializer();
  argument.serializeForScriptFunction(serializer);
  const tag = serializer.toUint8Array()[0] ?? SERIALIZED_ARGUMENT;
  return { type: SCRIPT_ARGUMENT_TYPES[tag], bytes: argument.bcsToBytes() };
}

/** Types of the arguments that are not signers. */
export function argumentTypes({ params }: MoveFunction, typeArguments: readonly string[]): string[] {
  return params.filter((param) => !isSigner(param)).map((param) => instantiate(param, typeArguments));
}

/** The arguments by the function's types. @throws ExecutionFailure */
export function decodeArguments(definition: MoveFunction, { typeArguments, raw }: Target): MoveValue[] {
  if (typeArguments.length !== definition.generics.length) throw failedWith("NUMBER_OF_TYPE_ARGUMENTS_MISMATCH");
  const types = argumentTypes(definition, typeArguments);
  if (types.length !== raw.length) throw failedWith("NUMBER_OF_ARGUMENTS_MISMATCH");
  return types.map((type, index) => {
    const argument = raw[index];
    if (argument?.type !== undefined && argument.type !== type) throw failedWith("TYPE_MISMATCH");
    try {
      return decodeValue(type, argument?.bytes ?? new Uint8Array());
    } catch {
      throw failedWith("FAILED_TO_DESERIALIZE_ARGUMENT");
    }
  });
}

/** Runs what a transaction calls on `world`. @throws ExecutionFailure */
export function runTransaction(world: World, executable: Executable, signers: readonly Address[]): void {
  const target = targetOf(executable);
  const { definition } = target;
  if (definition === undefined) throw failedWith(whyUnknown(target));
  if (definition.kind !== "entry") throw failedWith("EXECUTE_ENTRY_FUNCTION_CALLED_ON_NON_ENTRY_FUNCTION");
  const wanted = definition.params.filter(isSigner).length;
  // A function without signer parameters may be called with any number of them.
  if (wanted > 0 && wanted !== signers.length) throw failedWith("NUMBER_OF_SIGNER_ARGUMENTS_MISMATCH");
  const values = decodeArguments(definition, target);
  definition.run({ world, signers, typeArguments: target.typeArguments, values });
}

function whyUnknown({ id, module }: Target): string {
  if (id === undefined) return "CODE_DESERIALIZATION_ERROR";
  return hasModule(module) ? "FUNCTION_RESOLUTION_FAILURE" : "LINKER_ERROR";
}
