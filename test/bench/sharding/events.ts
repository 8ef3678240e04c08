/** Runs what is planned in the order of its time. Time passes only from one event to the next. */
export class EventQueue {
  /** A binary heap, the earliest first. Events of one time run in the order in which they were planned. */
  readonly #heap: { readonly atMs: number; readonly order: number; readonly run: () => void }[] = [];
  #planned = 0;
  nowMs = 0;

  after(delayMs: number, run: () => void): void {
    const heap = this.#heap;
    const added = { atMs: this.nowMs + delayMs, order: this.#planned++, run };
    let at = heap.push(added) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !before(added, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = added;
  }

  /** Runs all events up to a time. */
  runUntil(endMs: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.atMs <= endMs; first = this.#heap[0]) {
      this.#removeFirst();
      this.nowMs = first.atMs;
      first.run();
    }
    this.nowMs = endMs;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      let least = left;
      if (right !== undefined && before(right, left)) [child, least] = [child + 1, right];
      if (!before(least, last)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
  }
}

function before(one: { atMs: number; order: number }, other: { atMs: number; order: number }): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
