const MAX_KEPT = 2_000;
const REQUEST_LINE = /"event":"request","requestId":"([0-9a-f-]{36})"/;

/** Keeps the last lines that a service has logged of its requests. A line may come after the answer of its request. */
export class RequestLines {
  readonly #lines = new Map<string, string>();
  readonly #awaited = new Map<string, (line: string) => void>();

  add(line: string): void {
    const requestId = REQUEST_LINE.exec(line)?.[1];
    if (requestId === undefined) return;
    this.#lines.set(requestId, line);
    this.#awaited.get(requestId)?.(line);
    this.#awaited.delete(requestId);
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > MAX_KEPT && oldest !== undefined) this.#lines.delete(oldest);
  }

  /** Waits for the line of a request. */
  async of(requestId: string): Promise<string> {
    return this.#lines.get(requestId) ?? new Promise((resolve) => this.#awaited.set(requestId, resolve));
  }
}
