import { type Address, displayAddress, longAddress } from "../address.ts";
import { ABSTRACTION_FUNCTIONS } from "./abstraction.ts";
import { DEMO_FUNCTIONS, DEMO_STRUCTS } from "./demo.ts";
import { FRAMEWORK_FUNCTIONS, FRAMEWORK_STRUCTS } from "./framework.ts";
import type { MoveFunction } from "./function.ts";
import { OBJECT_GROUP } from "./slots.ts";

const FUNCTIONS: ReadonlyMap<string, MoveFunction> = new Map(
  [...FRAMEWORK_FUNCTIONS, ...ABSTRACTION_FUNCTIONS, ...DEMO_FUNCTIONS].map((one) => [
    `${one.module}::${one.name}`,
    one,
  ]),
);
const STRUCTS = { ...FRAMEWORK_STRUCTS, ...DEMO_STRUCTS };
const MODULES: ReadonlySet<string> = new Set([...FUNCTIONS.values()].map(({ module }) => module));

export function hasModule(module: string): boolean {
  return MODULES.has(module);
}

/** Whether types of a module are known here, such as the type of a coin. */
export function hasTypesOf(module: string): boolean {
  return MODULES.has(module) || STRUCTS[module] !== undefined;
}

export function hasStruct(module: string, name: string): boolean {
  return STRUCTS[module]?.includes(name) ?? false;
}

/** `id` is `0x1::aptos_account::transfer`. */
export function findFunction(id: string): MoveFunction | undefined {
  return FUNCTIONS.get(id);
}

/** A module as a node shows it. There is no bytecode behind it. */
export function moduleJson(module: string) {
  if (!hasModule(module)) return undefined;
  const [address = "", name = ""] = module.split("::");
  return {
    bytecode: "0x",
    abi: {
      address,
      name,
      friends: [],
      exposed_functions: [...FUNCTIONS.values()].filter((one) => one.module === module).map(functionJson),
      structs: (STRUCTS[module] ?? []).map((struct) => structJson(module, struct)),
    },
  };
}

export function modulesOf(address: Address) {
  const own = [...MODULES].filter((module) => longAddress(module.split("::")[0] ?? "") === address);
  return own.sort().map(moduleJson);
}

export function moduleName(address: Address, name: string): string {
  return `${displayAddress(address)}::${name}`;
}

export function functionJson({ name, kind, visibility, generics, params, returns }: MoveFunction) {
  return {
    name,
    visibility,
    is_entry: kind === "entry",
    is_view: kind === "view",
    generic_type_params: generics.map((constraints) => ({ constraints })),
    params,
    return: returns,
  };
}

/** Fields are left out: nothing decodes a resource by its ABI. */
function structJson(module: string, name: string) {
  const abilities = `${module}::${name}` === OBJECT_GROUP ? [] : ["key"];
  return { name, is_native: false, is_event: false, abilities, generic_type_params: [], fields: [] };
}
