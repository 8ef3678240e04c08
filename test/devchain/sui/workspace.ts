import { derivedObjectId } from "./hash.ts";
import { type ChainObject, coinContents, type Owner } from "./objects.ts";

/** An object while a transaction runs. An object without an owner is a value in the transaction's hands. */
export interface LiveObject {
  readonly id: string;
  readonly type: string;
  readonly hasPublicTransfer: boolean;
  owner: Owner | undefined;
  contents: Uint8Array;
}

export interface EmittedEvent {
  readonly package: string;
  readonly module: string;
  readonly sender: string;
  readonly type: string;
  readonly contents: Uint8Array;
}

export interface ComputationMeter {
  units: bigint;
}

/** What one run of a transaction has changed so far; thrown away when the run fails. */
export interface Workspace {
  readonly digest: string;
  readonly sender: string;
  readonly objects: Map<string, LiveObject>;
  readonly events: EmittedEvent[];
  readonly meter: ComputationMeter;
  createdObjects: bigint;
}

export function createWorkspace(
  digest: string,
  sender: string,
  inputs: Iterable<ChainObject>,
  meter: ComputationMeter,
): Workspace {
  const objects = new Map<string, LiveObject>();
  for (const { id, type, hasPublicTransfer, owner, contents } of inputs) {
    objects.set(id, { id, type, hasPublicTransfer, owner, contents });
  }
  return { digest, sender, objects, events: [], meter, createdObjects: 0n };
}

export interface NewObject {
  readonly type: string;
  readonly hasPublicTransfer: boolean;
  contents(id: string): Uint8Array;
}

/** Creates an object with the transaction's next derived id. */
export function createObject(workspace: Workspace, { type, hasPublicTransfer, contents }: NewObject): LiveObject {
  const id = derivedObjectId(workspace.digest, workspace.createdObjects);
  workspace.createdObjects += 1n;
  const object: LiveObject = { id, type, hasPublicTransfer, owner: undefined, contents: contents(id) };
  workspace.objects.set(id, object);
  return object;
}

export function createCoin(workspace: Workspace, coinObjectType: string, balance: bigint): LiveObject {
  return createObject(workspace, {
    type: coinObjectType,
    hasPublicTransfer: true,
    contents: (id) => coinContents(id, balance),
  });
}

export function deleteObject(workspace: Workspace, object: LiveObject): void {
  workspace.objects.delete(object.id);
}

export function transferObject(object: LiveObject, address: string): void {
  object.owner = { kind: "address", address };
}

export function setCoinBalance(coin: LiveObject, balance: bigint): void {
  coin.contents = coinContents(coin.id, balance);
}
