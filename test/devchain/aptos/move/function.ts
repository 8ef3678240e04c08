import type { Address } from "../address.ts";
import type { MoveValue } from "./values.ts";
import type { World } from "./world.ts";

/** One call of a function that is written here by hand; no bytecode is run. */
export interface Call {
  readonly world: World;
  readonly signers: readonly Address[];
  readonly typeArguments: readonly string[];
  readonly values: readonly MoveValue[];
}

export interface MoveFunction {
  /** `0x1::aptos_account` */
  readonly module: string;
  readonly name: string;
  readonly kind: "entry" | "view";
  readonly visibility: "public" | "private";
  /** Constraints of each type parameter. */
  readonly generics: readonly (readonly string[])[];
  /** With the signers, as an ABI lists them. */
  readonly params: readonly string[];
  readonly returns: readonly string[];
  run(call: Call): readonly MoveValue[];
}

type Options = Partial<Pick<MoveFunction, "visibility" | "generics">>;

export function entry(
  module: string,
  name: string,
  params: readonly string[],
  run: (call: Call) => void,
  { visibility = "public", generics = [] }: Options = {},
): MoveFunction {
  return {
    module,
    name,
    kind: "entry",
    visibility,
    generics,
    params,
    returns: [],
    run(call) {
      run(call);
      return [];
    },
  };
}

export function view(
  module: string,
  name: string,
  [params, returns]: readonly [params: readonly string[], returns: readonly string[]],
  run: (call: Call) => readonly MoveValue[],
  { generics = [] }: Pick<Options, "generics"> = {},
): MoveFunction {
  return { module, name, kind: "view", visibility: "public", generics, params, returns, run };
}

export function isSigner(param: string): boolean {
  return param === "&signer" || param === "signer";
}

/** The arguments of a call by their types, which were checked when they were decoded. */
export function signer({ signers }: Call, index: number): Address {
  const address = signers[index];
  if (address === undefined) throw new Error(`no signer ${index}`);
  return address;
}

function value<Kind extends MoveValue["kind"]>(call: Call, index: number, ...kinds: Kind[]) {
  const found = call.values[index];
  const isOne = (one: MoveValue | undefined): one is Extract<MoveValue, { kind: Kind }> =>
    one !== undefined && kinds.some((kind) => kind === one.kind);
  if (!isOne(found)) throw new Error(`argument ${index} is not of the kind ${kinds.join(" or ")}`);
  return found;
}

export function amount(call: Call, index: number): bigint {
  return value(call, index, "integer").value;
}

/** An address, or that of an object. */
export function addressArgument(call: Call, index: number): Address {
  return value(call, index, "address", "object").value;
}

export function text(call: Call, index: number): string {
  return value(call, index, "string").value;
}

export function byteVector(call: Call, index: number): Uint8Array {
  return value(call, index, "bytes").value;
}

export function addresses(call: Call, index: number): Address[] {
  return value(call, index, "vector").value.flatMap((one) => (one.kind === "address" ? [one.value] : []));
}

export function amounts(call: Call, index: number): bigint[] {
  return value(call, index, "vector").value.flatMap((one) => (one.kind === "integer" ? [one.value] : []));
}
