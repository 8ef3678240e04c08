import type { Address } from "../address.ts";
import { type GasSchedule, LATEST_GAS, storageDeposit } from "../gas.ts";
import type { Json } from "./values.ts";

/** What one slot of storage holds: one resource, or a group of resources that are kept together. */
export interface Item {
  readonly resources: Readonly<Record<string, Json>>;
  readonly bytes: number;
  readonly depositOctas: bigint;
}

export interface ItemChange {
  readonly address: Address;
  readonly slot: string;
  readonly before: Item | undefined;
  /** Undefined when it was deleted. */
  readonly after: Item | undefined;
}

export interface MoveEvent {
  readonly type: string;
  readonly data: Json;
}

export type ReadItem = (address: Address, slot: string) => Item | undefined;

/** A transaction that ran and failed: it is committed, charged for, and changes nothing else. */
export class ExecutionFailure extends Error {
  override readonly name = "ExecutionFailure";

  /** The text that a node shows. */
  readonly vmStatus: string;

  constructor(vmStatus: string) {
    super(vmStatus);
    this.vmStatus = vmStatus;
  }
}

/** An abort of a module; `name` and `why` are given where the module has names for its errors. */
export function moveAbort(module: string, code: bigint, name?: string, why?: string): ExecutionFailure {
  const hex = `0x${code.toString(16)}`;
  return new ExecutionFailure(`Move abort in ${module}: ${name === undefined ? hex : `${name}(${hex}): ${why}`}`);
}

/** A transaction that fails without an abort, by the name of its status code, which is all that a node says. */
export function failedWith(statusCode: string): ExecutionFailure {
  return new ExecutionFailure(statusCode);
}

export type World = ReturnType<typeof createWorld>;

/** The state that a transaction sees, with its own changes on top, which nobody else sees before it is committed. */
export function createWorld(read: ReadItem, gas: GasSchedule = LATEST_GAS) {
  const touched = new Map<string, ItemChange>();
  const events: MoveEvent[] = [];

  const keyOf = (address: Address, slot: string) => `${address}/${slot}`;

  function before(address: Address, slot: string): Item | undefined {
    const known = touched.get(keyOf(address, slot));
    return known === undefined ? read(address, slot) : known.before;
  }

  return {
    events: events as readonly MoveEvent[],

    get(address: Address, slot: string): Item | undefined {
      const known = touched.get(keyOf(address, slot));
      return known === undefined ? read(address, slot) : known.after;
    },

    /** Writes an item; one that grows pays for what it grows by, one that shrinks gets nothing back. */
    put(address: Address, slot: string, resources: Item["resources"], bytes: number): void {
      const old = before(address, slot);
      const deposit = storageDeposit(gas, bytes);
      const depositOctas = old === undefined || old.depositOctas < deposit ? deposit : old.depositOctas;
      touched.set(keyOf(address, slot), { address, slot, before: old, after: { resources, bytes, depositOctas } });
    },

    remove(address: Address, slot: string): void {
      touched.set(keyOf(address, slot), { address, slot, before: before(address, slot), after: undefined });
    },

    emit(type: string, data: Json): void {
      events.push({ type, data });
    },

    changes: (): ItemChange[] =>
      [...touched.values()].filter(({ before, after }) => before !== undefined || after !== undefined),

    storage(): { feeOctas: bigint; refundOctas: bigint } {
      let feeOctas = 0n;
      let refundOctas = 0n;
      for (const { before, after } of touched.values()) {
        if (after === undefined) refundOctas += before?.depositOctas ?? 0n;
        else feeOctas += after.depositOctas - (before?.depositOctas ?? 0n);
      }
      return { feeOctas, refundOctas };
    },
  };
}
