import { toHex } from "../../bytes.ts";
import { BcsCursor } from "./bcs-cursor.ts";
import { BcsWriter } from "./bcs-writer.ts";
import { digestText } from "./digest.ts";
import type {
  BalanceChange,
  ChangedObject,
  GasUsed,
  MoveAbort,
  ObjectState,
  SuiEvent,
  SuiExecution,
  SuiOwner,
} from "./execution.ts";

/**
 * The form of an execution that a fund keeps for a repeat of the call. It is BCS, which takes a fourth of the JSON. It
 * is written and read by hand, because the SDK's codec takes ten times as long. Answers live for one day, so another
 * version is not read. The chain then answers.
 */
export const KEPT_FORMAT = 2;

const ADDRESS_BYTES = 32;
const DIGEST_BYTES = 32;
const U64_BYTES = 8;
const OWNERS = ["address", "object", "shared", "consensus", "immutable"] as const satisfies SuiOwner["kind"][];
const OPERATIONS = ["none", "created", "deleted"] as const satisfies ChangedObject["operation"][];

function writeOwner(to: BcsWriter, owner: SuiOwner): void {
  to.byte(OWNERS.indexOf(owner.kind));
  if (owner.kind === "address" || owner.kind === "consensus") to.address(owner.address);
  if (owner.kind === "object") to.address(owner.objectId);
  if (owner.kind === "shared") to.u64(owner.initialSharedVersion);
  if (owner.kind === "consensus") to.u64(owner.startVersion);
}

function writeState(to: BcsWriter, { version, digest, owner }: ObjectState): void {
  to.u64(version);
  to.digest(digest);
  to.option(owner, (value) => writeOwner(to, value));
}

function writeChange(to: BcsWriter, { objectId, objectType, operation, input, output }: ChangedObject): void {
  to.address(objectId);
  to.option(objectType, (type) => to.text(type));
  to.byte(OPERATIONS.indexOf(operation));
  for (const state of [input, output]) to.option(state, (value) => writeState(to, value));
}

function writeEvent(to: BcsWriter, { packageId, module, sender, eventType, contents, json }: SuiEvent): void {
  // A node's own text is kept letter for letter.
  for (const text of [packageId, module, sender, eventType]) to.text(text);
  to.bytes(contents);
  to.text(JSON.stringify(json ?? null));
}

function writeBalanceChange(to: BcsWriter, { address, coinType, amount }: BalanceChange): void {
  for (const text of [address, coinType, `${amount}`]) to.text(text);
}

function writeAbort(to: BcsWriter, abort: MoveAbort): void {
  to.text(abort.package);
  to.text(abort.module);
  to.option(abort.function, (name) => to.text(name));
  to.u64(abort.abortCode);
  to.option(abort.command, (command) => to.u16(command));
}

function writeGas(to: BcsWriter, gas: GasUsed): void {
  to.u64(gas.computationCostMist);
  to.u64(gas.storageCostMist);
  to.u64(gas.storageRebateMist);
  to.u64(gas.nonRefundableStorageFeeMist);
}

/** @returns null for a reply outside of the format, which is then not kept. */
export function encodeExecution(execution: SuiExecution): Uint8Array | null {
  const to = new BcsWriter();
  try {
    to.byte(KEPT_FORMAT);
    to.digest(execution.digest);
    to.flag(execution.success);
    to.option(execution.error, (text) => to.text(text));
    to.option(execution.abort, (abort) => writeAbort(to, abort));
    to.u64(execution.epoch);
    writeGas(to, execution.gasUsed);
    to.option(execution.gasObjectId, (id) => to.address(id));
    to.u64(execution.lamportVersion);
    to.list(execution.dependencies, (digest) => to.digest(digest));
    to.option(execution.eventsDigest, (digest) => to.digest(digest));
    to.list(execution.changedObjects, (change) => writeChange(to, change));
    to.list(execution.events, (event) => writeEvent(to, event));
    to.list(execution.balanceChanges, (change) => writeBalanceChange(to, change));
    to.option(execution.checkpoint, (sequence) => to.u64(sequence));
    to.option(execution.timestampMs, (ms) => to.u64(BigInt(ms)));
    return to.written();
  } catch {
    return null;
  }
}

const texts = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the parts of a kept execution, in their order. */
class KeptReader {
  readonly #bytes: BcsCursor;

  constructor(bytes: BcsCursor) {
    this.#bytes = bytes;
  }

  execution(): SuiExecution {
    const bytes = this.#bytes;
    return {
      digest: this.#digest(),
      success: bytes.flag(),
      error: this.#option(() => this.#text()),
      abort: this.#option(() => this.#abort()),
      epoch: this.#u64(),
      gasUsed: {
        computationCostMist: this.#u64(),
        storageCostMist: this.#u64(),
        storageRebateMist: this.#u64(),
        nonRefundableStorageFeeMist: this.#u64(),
      },
      gasObjectId: this.#option(() => this.#address()),
      lamportVersion: this.#u64(),
      dependencies: bytes.list(() => this.#digest()),
      eventsDigest: this.#option(() => this.#digest()),
      changedObjects: bytes.list(() => this.#change()),
      events: bytes.list(() => this.#event()),
      balanceChanges: bytes.list(() => ({
        address: this.#text(),
        coinType: this.#text(),
        amount: BigInt(this.#text()),
      })),
      checkpoint: this.#option(() => this.#u64()),
      timestampMs: this.#option(() => Number(this.#u64())),
    };
  }

  #abort(): MoveAbort {
    return {
      package: this.#text(),
      module: this.#text(),
      function: this.#option(() => this.#text()),
      abortCode: this.#u64(),
      command: this.#option(() => this.#view(2).getUint16(0, true)),
    };
  }

  #change(): ChangedObject {
    return {
      objectId: this.#address(),
      objectType: this.#option(() => this.#text()),
      operation: this.#variant(OPERATIONS),
      input: this.#option(() => this.#state()),
      output: this.#option(() => this.#state()),
    };
  }

  #state(): ObjectState {
    return { version: this.#u64(), digest: this.#digest(), owner: this.#option(() => this.#owner()) };
  }

  #owner(): SuiOwner {
    const kind = this.#variant(OWNERS);
    switch (kind) {
      case "address":
        return { kind, address: this.#address() };
      case "object":
        return { kind, objectId: this.#address() };
      case "shared":
        return { kind, initialSharedVersion: this.#u64() };
      case "consensus":
        return { kind, address: this.#address(), startVersion: this.#u64() };
      case "immutable":
        return { kind };
    }
  }

  #event(): SuiEvent {
    return {
      packageId: this.#text(),
      module: this.#text(),
      sender: this.#text(),
      eventType: this.#text(),
      contents: this.#bytes.take(this.#bytes.length()).slice(),
      json: JSON.parse(this.#text()),
    };
  }

  #variant<Name>(names: readonly Name[]): Name {
    const name = names[this.#bytes.variant()];
    if (name === undefined) throw new RangeError("a kept execution has an unknown variant");
    return name;
  }

  #option<T>(read: () => T): T | null {
    return this.#bytes.flag() ? read() : null;
  }

  #view(length: number): DataView {
    const { buffer, byteOffset } = this.#bytes.take(length);
    return new DataView(buffer, byteOffset, length);
  }

  #u64(): bigint {
    return this.#view(U64_BYTES).getBigUint64(0, true);
  }

  #text(): string {
    return texts.decode(this.#bytes.take(this.#bytes.length()));
  }

  #address(): string {
    return `0x${toHex(this.#bytes.take(ADDRESS_BYTES))}`;
  }

  #digest(): string {
    if (this.#bytes.length() !== DIGEST_BYTES) throw new RangeError("a kept digest has another length");
    return digestText(this.#bytes.take(DIGEST_BYTES));
  }
}

/** @returns null for another format than the present one. */
export function decodeExecution(bytes: Uint8Array): SuiExecution | null {
  return bytes[0] === KEPT_FORMAT ? new KeptReader(new BcsCursor(bytes.subarray(1))).execution() : null;
}
