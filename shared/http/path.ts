/** Returns whether a path is an interface's own, or has more segments below it, such as a key. */
export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
