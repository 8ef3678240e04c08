/** How long a hanging call is held when its caller does not give up. */
export const MAX_HANG_MS = 60_000;

/** Waits, but no longer than the caller does. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms === 0 || signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
