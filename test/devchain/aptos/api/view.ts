import { Deserializer, EntryFunction } from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { invalidInput, unparsableBody } from "../errors.ts";
import type { MoveFunction } from "../move/function.ts";
import { hasStruct, hasTypesOf } from "../move/modules.ts";
import { decodeArguments, targetOf } from "../move/run.ts";
import { argumentsOf, baseOf, canonicalType, isType } from "../move/types.ts";
import { type MoveValue, toJson } from "../move/values.ts";
import { createWorld, ExecutionFailure } from "../move/world.ts";
import { argumentsOfJson, digitsOf, foundType, functionOf, parseJson, whileParsing } from "./json-body.ts";
import { requireContentType, versionQuery } from "./parameters.ts";
import type { ApiCall, Routes } from "./route.ts";

const JSON_TYPE = "application/json";
const VIEW_FUNCTION = "application/x.aptos.view_function+bcs";

/** The codes of the VM for what is called (recorded). */
const NOT_A_VIEW_CODE = 1011;
const NO_MODULE_CODE = 1081;
const NO_STRUCT_CODE = 2021;
const ABORTED_CODE = 4016;

const ViewRequest = z.object({
  function: z.string(),
  type_arguments: z.array(z.string()).default([]),
  arguments: z.array(z.unknown()).default([]),
});

interface ViewCall {
  readonly definition: MoveFunction;
  readonly typeArguments: readonly string[];
  readonly values: readonly MoveValue[];
}

export const viewRoutes: Routes = {
  "POST /view": (call) => {
    requireContentType(call, JSON_TYPE, VIEW_FUNCTION);
    const version = versionQuery(call);
    const { definition, typeArguments, values } =
      call.contentType === JSON_TYPE ? fromJsonBody(call) : fromBcsBody(call);
    for (const type of typeArguments) requireType(type);
    const world = createWorld((address, slot) => call.node.store.item(address, slot, version));
    const results = orRefuse(() => definition.run({ world, signers: [], typeArguments, values }));
    const units = call.node.gas.costOf({ id: undefined, hasFailed: false, hasStore: true }).ioMicrounits / 1_000_000n;
    return { json: results.map(toJson), headers: { "X-Aptos-Gas-Used": String(units) } };
  },
};

function fromBcsBody({ body }: ApiCall): ViewCall {
  let target: ReturnType<typeof targetOf>;
  try {
    const deserializer = new Deserializer(body);
    target = targetOf({ kind: "entry_function", call: EntryFunction.deserialize(deserializer) });
    if (deserializer.remaining() > 0) throw new Error("remaining input");
  } catch (error) {
    throw invalidInput(`Failed to deserialize input into ViewRequest: ${textOf(error)}`);
  }
  const definition = orInvalid(() => functionOf(target.id ?? "", "view"));
  requireView(definition);
  const values = orRefuse(() => decodeArguments(definition, target));
  return { definition, typeArguments: target.typeArguments, values };
}

function fromJsonBody({ body }: ApiCall): ViewCall {
  const json = parseJson(body);
  const request = ViewRequest.safeParse(json);
  if (!request.success) throw unparsableBody(whyNoView(json, request.error));
  const { function: id, type_arguments: types, arguments: given } = request.data;
  const definition = orInvalid(() => functionOf(id, "view"));
  const unparsed = types.find((type) => !isType(type));
  if (unparsed !== undefined)
    throw invalidInput(`Invalid move type for converting into \`TypeTag\`: Unparsable(${JSON.stringify(unparsed)})`);
  const typeArguments = types.map(canonicalType);
  const values = orInvalid(() => argumentsOfJson(definition, typeArguments, given));
  requireView(definition);
  if (types.length !== definition.generics.length)
    throw invalidInput(`${id} takes ${definition.generics.length} type arguments`);
  return { definition, typeArguments, values };
}

function whyNoView(json: unknown, error: z.ZodError): string {
  const { function: id } = Object(json);
  if (typeof id === "string") return `${z.prettifyError(error)}${whileParsing("ViewRequest")}`;
  const why = `invalid type: ${foundType(id)}, expected a string`;
  return `failed to parse "string(EntryFunctionId)": ${why}${whileParsing("ViewRequest")}`;
}

/** The VM refuses it, after the arguments were read. */
function requireView({ kind }: MoveFunction): void {
  if (kind !== "view") throw invalidInput("function not marked as view function", NOT_A_VIEW_CODE);
}

function requireType(type: string): void {
  const [address = "", module = "", name = ""] = baseOf(type).split("::");
  for (const argument of argumentsOf(type)) requireType(argument);
  if (name === "") return;
  if (!hasTypesOf(`${address}::${module}`))
    throw invalidInput(`Linker Error: Module ${digitsOf(address)}::${module} doesn't exist`, NO_MODULE_CODE);
  if (!hasStruct(`${address}::${module}`, name))
    throw invalidInput(`Struct ${baseOf(type)} does not exist`, NO_STRUCT_CODE);
}

function orInvalid<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw invalidInput(textOf(error));
  }
}

/** A view that aborts is the caller's fault. */
function orRefuse<Result>(body: () => Result): Result {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof ExecutionFailure)) throw error;
    throw invalidInput(error.vmStatus, error.vmStatus.startsWith("Move abort") ? ABORTED_CODE : null);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
