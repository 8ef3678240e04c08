/** The place of an abort of Move code, as a node words it. */
export interface AptosAbort {
  readonly package: string;
  readonly module: string;
  /** Always null, because a node names no function. */
  readonly function: null;
  /** Digits. */
  readonly code: string;
  /** The name of the constant with this code. Null if the module does not have it. */
  readonly constant: string | null;
  readonly command: null;
}

/** The words of `explain_vm_status` in aptos-core (`api/types/src/convert.rs`). */
const ABORT =
  /^Move abort in (0x[0-9a-f]{1,64})::([A-Za-z_]\w{0,127}): (?:([A-Za-z_]\w{0,127})\()?0x([0-9a-f]{1,16})\b/;

/** Reads the place of an abort from a transaction's `vm_status`. Null for every other status, and for a script. */
export function readAbort(vmStatus: string): AptosAbort | null {
  const [, address, module, constant, code] = ABORT.exec(vmStatus) ?? [];
  if (address === undefined || module === undefined || code === undefined) return null;
  const place = { package: `0x${address.slice(2).padStart(64, "0")}`, module, function: null, command: null };
  return { ...place, code: BigInt(`0x${code}`).toString(), constant: constant ?? null };
}
