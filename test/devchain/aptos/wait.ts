/** How often a node looks again for what a caller waits for. */
const POLL_MS = 20;

/** Looks until it is so, for `maxMs` at most, and gives whether it is. */
export async function waitUntil(isSo: () => boolean, maxMs: number): Promise<boolean> {
  const giveUpMs = Date.now() + maxMs;
  while (!isSo()) {
    if (Date.now() >= giveUpMs) return false;
    await new Promise<void>((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}
