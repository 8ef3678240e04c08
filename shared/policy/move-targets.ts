/**
 * Returns a target with its package in full length, so that `0x2::coin::zero` and its long form are equal. Type
 * arguments in the target are made equal likewise: `0x2::coin::zero<0x2::sui::SUI>`.
 */
export function fullTarget(target: string): string {
  const typesAt = target.indexOf("<");
  const [path, types] = typesAt < 0 ? [target, ""] : [target.slice(0, typesAt), target.slice(typesAt)];
  const [packageId = "", ...names] = path.split("::");
  return [fullAddress(packageId), ...names].join("::") + fullTypes(types);
}

function fullAddress(address: string): string {
  return `0x${address.replace(/^0x/, "").toLowerCase().padStart(64, "0")}`;
}

/** Returns types as text, with addresses in full length and without spaces. */
function fullTypes(types: string): string {
  return types.replaceAll(/\s/g, "").replaceAll(/0x[0-9a-fA-F]+(?=::)/g, fullAddress);
}

/**
 * Builds a function that tests whether a list names a Move call. It makes one look-up for each form of an entry, for a
 * list of any length.
 *
 * @param entries `package::module::function`, `package::module::*` or `package::*`, as `fullTarget` returns them.
 * @returns a function of `package::module::function`, with the package in full length.
 */
export function targetMatcher(entries: readonly string[]): (target: string) => boolean {
  const listed = new Set(entries);
  return (target) =>
    listed.has(target) ||
    listed.has(`${target.slice(0, target.lastIndexOf("::"))}::*`) ||
    listed.has(`${target.slice(0, target.indexOf("::"))}::*`);
}

/**
 * Builds the same test for a call and its types. An entry `package::module::function<types>` means these types only.
 */
export function callMatcher(entries: readonly string[]): (target: string, typeArguments: readonly string[]) => boolean {
  const isListed = targetMatcher(entries);
  const withTypes = new Set(entries.filter((entry) => entry.endsWith(">")));
  return (target, typeArguments) =>
    isListed(target) || withTypes.has(`${target}${fullTypes(`<${typeArguments.join(",")}>`)}`);
}
