import { normalizeSuiAddress } from "@mysten/sui/utils";
import { DEMO_PACKAGE } from "../../demo.ts";
import { ALIAS_FUNCTIONS } from "./address-alias.ts";
import { ALLOWANCE_FUNCTIONS } from "./allowance.ts";
import { DEMO_FUNCTIONS } from "./demo.ts";
import { FRAMEWORK_FUNCTIONS } from "./framework.ts";
import { INTEGER_FUNCTIONS } from "./integers.ts";
import { TRANSFER_FUNCTIONS } from "./transfer.ts";
import type { MoveFunction } from "./types.ts";

const FUNCTIONS = new Map(
  [
    ...FRAMEWORK_FUNCTIONS,
    ...INTEGER_FUNCTIONS,
    ...TRANSFER_FUNCTIONS,
    ...ALIAS_FUNCTIONS,
    ...ALLOWANCE_FUNCTIONS,
    ...DEMO_FUNCTIONS,
  ].map((shape) => [functionName(shape.package, shape.module, shape.name), shape]),
);
const MODULES = new Set([...FUNCTIONS.values()].map((shape) => `${shape.package}::${shape.module}`));

const PACKAGES = new Set([normalizeSuiAddress("0x1"), normalizeSuiAddress("0x2"), DEMO_PACKAGE]);

export function findFunction(packageId: string, module: string, name: string): MoveFunction | undefined {
  return FUNCTIONS.get(functionName(normalizeSuiAddress(packageId), module, name));
}

export function moduleExists(packageId: string, module: string): boolean {
  return MODULES.has(`${normalizeSuiAddress(packageId)}::${module}`);
}

export function packageExists(packageId: string): boolean {
  return PACKAGES.has(normalizeSuiAddress(packageId));
}

function functionName(packageId: string, module: string, name: string): string {
  return `${packageId}::${module}::${name}`;
}
