/** The package of a target in full length, so that `0x2::coin::zero` and its long form are one. */
export function fullTarget(target: string): string {
  const [packageId = "", ...path] = target.split("::");
  return [`0x${packageId.replace(/^0x/, "").toLowerCase().padStart(64, "0")}`, ...path].join("::");
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
