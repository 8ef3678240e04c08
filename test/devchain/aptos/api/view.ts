import { Deserializer, EntryFunction } from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { invalidInput } from "../errors.ts";
import { GAS } from "../gas.ts";
import type { MoveFunction } from "../move/function.ts";
import { findFunction } from "../move/modules.ts";
import { argumentTypes, decodeArguments, targetOf } from "../move/run.ts";
import { canonicalType } from "../move/types.ts";
import { fromJson, type MoveValue, toJson } from "../move/values.ts";
import { createWorld, ExecutionFailure } from "../move/world.ts";
import { requireContentType, versionQuery } from "./parameters.ts";
import type { ApiCall, Routes } from "./route.ts";

const JSON_TYPE = "application/json";
const VIEW_FUNCTION = "application/x.aptos.view_function+bcs";

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
    const world = createWorld((address, slot) => call.node.store.item(address, slot, version));
    const results = orRefuse(() => definition.run({ world, signers: [], typeArguments, values }));
    return { json: results.map(toJson), headers: { "X-Aptos-Gas-Used": String(GAS.ioUnits) } };
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
  const definition = viewFunction(target.id ?? "");
  const values = orRefuse(() => decodeArguments(definition, target));
  return { definition, typeArguments: target.typeArguments, values };
}

function fromJsonBody({ body }: ApiCall): ViewCall {
  const request = ViewRequest.safeParse(parseJson(body));
  if (!request.success) throw invalidInput(`Failed to parse the request: ${z.prettifyError(request.error)}`);
  const { function: id, type_arguments: typeArguments, arguments: given } = request.data;
  const definition = viewFunction(canonicalId(id));
  const types = argumentTypes(definition, typeArguments.map(canonicalType));
  if (typeArguments.length !== definition.generics.length || types.length !== given.length) {
    throw invalidInput(`${id} takes ${definition.generics.length} type arguments and ${types.length} arguments`);
  }
  const values = types.map((type, index) => {
    try {
      return fromJson(type, given[index]);
    } catch (error) {
      throw invalidInput(`parse arguments[${index}] failed, expect ${type}, caused by error: ${textOf(error)}`);
    }
  });
  return { definition, typeArguments: typeArguments.map(canonicalType), values };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    throw invalidInput(`parse request payload error: ${textOf(error)}`);
  }
}

/** The function's id with its address as a node writes it. */
function canonicalId(id: string): string {
  try {
    return canonicalType(id);
  } catch (error) {
    throw invalidInput(`invalid function ${id}: ${textOf(error)}`);
  }
}

function viewFunction(id: string): MoveFunction {
  const definition = findFunction(id);
  if (definition === undefined) throw invalidInput(`could not find entry function by ${id}`);
  if (definition.kind !== "view") throw invalidInput(`${id} is not an view function`);
  return definition;
}

/** A view that aborts is the caller's fault. */
function orRefuse<Result>(body: () => Result): Result {
  try {
    return body();
  } catch (error) {
    if (error instanceof ExecutionFailure) throw invalidInput(error.vmStatus);
    throw error;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
