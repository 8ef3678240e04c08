/**
 * A limit that one object has, shared out to others. The coordinator owns the limit. Each lane decides alone within its
 * lease. Both commit before they send, so that a message can be lost, late or repeated: the amounts on the way count as
 * leased, and never twice. All amounts are integers of one unit, such as MIST or wallets.
 */

/** Owns the limit, and knows what each lane may use at most. */
export class Coordinator {
  readonly limit: number;
  readonly #leased: number[];
  /** The last grant of each lane, for a lane that asks again because the answer was lost. */
  readonly #granted: { operation: number; amount: number }[];
  /** The last return of each lane that is booked. */
  readonly #returned: number[];

  constructor(limit: number, lanes: number) {
    this.limit = limit;
    this.#leased = new Array<number>(lanes).fill(0);
    this.#granted = this.#leased.map(() => ({ operation: -1, amount: 0 }));
    this.#returned = this.#leased.map(() => -1);
  }

  get leased(): readonly number[] {
    return this.#leased;
  }

  /** The part of the limit that no lane has. */
  free(): number {
    return this.limit - this.#leased.reduce((sum, amount) => sum + amount, 0);
  }

  /** Returns the amount of an operation that was granted before, 0 if the lane has gone on. Null if it is a new one. */
  repeated(lane: number, operation: number): number | null {
    const last = this.#granted[lane];
    if (last === undefined || operation > last.operation) return null;
    return operation === last.operation ? last.amount : 0;
  }

  /** Leases up to the wanted amount. A repeated operation gets its first answer. */
  grant(lane: number, operation: number, wanted: number): number {
    const repeated = this.repeated(lane, operation);
    if (repeated !== null) return repeated;
    const amount = Math.min(wanted, this.free());
    this.#leased[lane] = (this.#leased[lane] ?? 0) + amount;
    this.#granted[lane] = { operation, amount };
    return amount;
  }

  /** Books what a lane has given back. A repeated or an older operation changes nothing. */
  takeBack(lane: number, operation: number, amount: number): void {
    if (operation <= (this.#returned[lane] ?? -1)) return;
    this.#returned[lane] = operation;
    this.#leased[lane] = (this.#leased[lane] ?? 0) - amount;
  }
}

/** Uses its lease without asking anybody. */
export class Lane {
  #lease = 0;
  #used = 0;
  #granted = -1;
  #returned = { operation: -1, amount: 0 };

  get lease(): number {
    return this.#lease;
  }

  get used(): number {
    return this.#used;
  }

  idle(): number {
    return this.#lease - this.#used;
  }

  /** Reserves an amount. False if the lease does not cover it. */
  reserve(amount: number): boolean {
    if (this.#used + amount > this.#lease) return false;
    this.#used += amount;
    return true;
  }

  release(amount: number): void {
    this.#used -= amount;
  }

  /** Adds a grant to the lease. A repeated or an older operation changes nothing. */
  addGrant(operation: number, amount: number): void {
    if (operation <= this.#granted) return;
    this.#granted = operation;
    this.#lease += amount;
  }

  /** Gives back what is idle above an amount to keep. A repeated operation returns its first answer, an older one 0. */
  giveBack(operation: number, keep: number): number {
    const last = this.#returned;
    if (operation <= last.operation) return operation === last.operation ? last.amount : 0;
    const amount = Math.max(0, this.idle() - keep);
    this.#lease -= amount;
    this.#returned = { operation, amount };
    return amount;
  }
}
