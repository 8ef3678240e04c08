import { done, type Outcome, refuse } from "../../errors.ts";
import { parseAddress } from "./address.ts";
import { encodeBcs } from "./bcs.ts";
import { ArgumentError, encodeArgument, MAX_NESTING, notFromJson } from "./entry-argument.ts";
import { MAX_TRANSACTION_BYTES, MAX_TYPE_TAG_NESTING } from "./limits.ts";
import { type TransactionPayload, transactionPayload } from "./payload.ts";
import { isIdentifier, type TypeTag } from "./type-tag.ts";
import { parseTypeTag, UNKNOWN_PARAMETER } from "./type-text.ts";

/** A call of an entry function in JSON. A node shows this payload, and accepts it for a simulation. */
export interface EntryCall {
  /** `0x…::module::function`. */
  readonly function: string;
  readonly typeArguments: readonly string[];
  readonly arguments: readonly unknown[];
}

/** The parts of a node's description of a function that a call needs. */
export interface FunctionAbi {
  readonly isEntry: boolean;
  readonly typeParameters: number;
  /** Move types as text. A type parameter is `T0`, `T1`, … */
  readonly parameters: readonly string[];
}

const SIGNERS = /^&?signer$/;
/** A limit of ours. The chain's types nest less, and the text comes from a node. */
const MAX_PARAMETER_NESTING = 32;

/** Returns true if an argument nests deeper than any function accepts. It could be too deep to be written again. */
export function nestsTooDeeply(argument: unknown, levels = MAX_NESTING): boolean {
  if (typeof argument !== "object" || argument === null) return false;
  return levels === 0 || Object.values(argument).some((inner) => nestsTooDeeply(inner, levels - 1));
}

/**
 * Builds the payload of a call. Arguments are JSON in the form of nodes: numbers up to u32 as numbers, larger ones as
 * decimal strings (either is accepted for all), addresses and objects as hex, `vector<u8>` as hex that begins with `0x`
 * or as numbers, strings as strings, an option as its value or null.
 *
 * @returns refuses with `bad_params`, naming the argument.
 */
export function entryCallPayload(call: EntryCall, abi: FunctionAbi): Outcome<TransactionPayload> {
  try {
    const payload = payloadOf(call, abi);
    const { length } = encodeBcs(transactionPayload, payload);
    if (length <= MAX_TRANSACTION_BYTES) return done(payload);
    return refuse("bad_params", `arguments: the call has ${length} bytes: send at most ${MAX_TRANSACTION_BYTES}`);
  } catch (error) {
    if (error instanceof ArgumentError) return refuse("bad_params", error.message);
    throw error;
  }
}

function payloadOf(call: EntryCall, abi: FunctionAbi): TransactionPayload {
  const [written = "", module = "", name = "", ...others] = call.function.split("::");
  const address = parseAddress(written);
  if (address === null || others.length > 0 || !isIdentifier(module) || !isIdentifier(name))
    throw new ArgumentError("function: must be 0x…::module::function");
  if (!abi.isEntry) throw new ArgumentError(`function: ${call.function} is not an entry function: call one`);
  const parameters = parametersOf(call, abi);
  expectCount("type_arguments", call.typeArguments.length, abi.typeParameters);
  expectCount("arguments", call.arguments.length, parameters.length);
  const typeArguments = call.typeArguments.map((text, index) => typeArgument(text, `type_arguments[${index}]`));
  const values = parameters.map((parameter, index) => {
    const path = `arguments[${index}]`;
    return encodeArgument(call.arguments[index], parameterType(parameter, typeArguments, path), path);
  });
  const entryFunction = { module: { address, name: module }, function: name, typeArguments, arguments: values };
  return { $kind: "EntryFunction", EntryFunction: entryFunction };
}

/** Returns the types of the call's arguments: the parameters less the sender's signer. */
function parametersOf(call: EntryCall, { parameters }: FunctionAbi): readonly string[] {
  const [first, ...others] = parameters;
  const taken = first !== undefined && SIGNERS.test(first) ? others : parameters;
  if (taken.some((parameter) => SIGNERS.test(parameter)))
    throw new ArgumentError(`function: ${call.function} needs more signers than one: build the transaction yourself`);
  return taken;
}

function expectCount(what: string, given: number, wanted: number): void {
  if (given !== wanted) throw new ArgumentError(`${what}: the function takes ${wanted}, not ${given}`);
}

function typeArgument(text: string, path: string): TypeTag {
  const tag = parseTypeTag(text, { maxNesting: MAX_TYPE_TAG_NESTING, typeArguments: null });
  if (tag === null || tag === UNKNOWN_PARAMETER) throw new ArgumentError(`${path}: must be a Move type`);
  return tag;
}

function parameterType(text: string, typeArguments: readonly TypeTag[], path: string): TypeTag {
  const tag = parseTypeTag(text, { maxNesting: MAX_PARAMETER_NESTING, typeArguments });
  if (tag === null) throw notFromJson(text, path);
  if (tag === UNKNOWN_PARAMETER) throw new ArgumentError(`${path}: its type is a parameter that the function lacks`);
  return tag;
}
