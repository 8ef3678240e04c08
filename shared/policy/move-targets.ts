/**
 * A target with its package in full length, so that `0x2::coin::zero` and its long form are one. The types that it is
 * called with, if it names them, are made equal likewise: `0x2::coin::zero<0x2::sui::SUI>`.
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

/** Types as text, with addresses in full length and without spaces. */
function fullTypes(types: string): string {
  return types.replaceAll(/\s/g, "").replaceAll(/0x[0-9a-fA-F]+(?=::)/g, fullAddress);
}

/**
 * Tells whether a list names a Move call: by one look-up for each form that an entry can have, however long the list.
 *
 * @param entries `package::module::function`, `package::module::*` or `package::*`, as `fullTarget` gives them.
 * @returns takes `package::module::function`, the package in full length.
 */
export function targetMatcher(entries: readonly string[]): (target: string) => boolean {
  const listed = new Set(entries);
  return (target) =>
    listed.has(target) ||
    listed.has(`${target.slice(0, target.lastIndexOf("::"))}::*`) ||
    listed.has(`${target.slice(0, target.indexOf("::"))}::*`);
}

/** The same for a call and its types: an entry may name these, `package::module::function<types>`, and then means no others. */
export function callMatcher(entries: readonly string[]): (target: string, typeArguments: readonly string[]) => boolean {
  const isListed = targetMatcher(entries);
  const withTypes = new Set(entries.filter((entry) => entry.endsWith(">")));
  return (target, typeArguments) =>
    isListed(target) || withTypes.has(`${target}${fullTypes(`<${typeArguments.join(",")}>`)}`);
}
