/** The place of an abort of Move code, and its code. */
interface Abort {
  readonly package: string;
  readonly module: string;
  /** Null if the node does not name it. */
  readonly function: string | null;
  readonly code: string;
  /** The name of the constant with this code. Null if the node does not show it. */
  readonly constant: string | null;
}

/** Writes where Move code aborted, and why: `0x2::coin::split with code 2 (ENotEnough)`. */
export function abortText({ package: packageId, module, function: name, code, constant }: Abort): string {
  const place = [packageId, module, ...(name === null ? [] : [name])].join("::");
  return `${place} with code ${code}${constant === null ? "" : ` (${constant})`}`;
}
