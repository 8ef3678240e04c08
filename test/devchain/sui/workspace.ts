import type { Account } from "./accounts.ts";
import type { ChainContext } from "./context.ts";
import type { FundsFlows } from "./funds.ts";
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

/** What failing does not undo: the computation that was used, and the objects that were received. */
export interface RunRecord {
  units: bigint;
  readonly received: Map<string, ChainObject>;
}

/** Who the gas coin was given to, by TransferObjects or by `0x2::coin::send_funds`. */
export type GasCoinRecipient = { readonly kind: "object" } | { readonly kind: "funds"; readonly account: Account };

/** What one run of a transaction has changed so far; thrown away when the run fails. */
export interface Workspace {
  readonly digest: string;
  readonly sender: string;
  readonly objects: Map<string, LiveObject>;
  readonly events: EmittedEvent[];
  readonly funds: FundsFlows;
  readonly record: RunRecord;
  /** Ids of objects that did not exist before, and of those that have ended. */
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  /** Objects that the transaction may receive, by id, and those that it did. */
  readonly receivable: ReadonlyMap<string, ChainObject>;
  readonly received: Map<string, ChainObject>;
  readonly context: ChainContext;
  readonly senderHasAliases: boolean;
  derivedIds: bigint;
  gasCoin: { readonly id: string; givenTo: GasCoinRecipient | undefined } | undefined;
}

export interface WorkspaceInputs {
  readonly digest: string;
  readonly sender: string;
  readonly objects: Iterable<ChainObject>;
  readonly receivable: ReadonlyMap<string, ChainObject>;
  readonly context: ChainContext;
  readonly senderHasAliases: boolean;
}

export function createWorkspace(inputs: WorkspaceInputs, record: RunRecord): Workspace {
  const { digest, sender, receivable, context, senderHasAliases } = inputs;
  const objects = new Map<string, LiveObject>();
  for (const object of inputs.objects) objects.set(object.id, liveObject(object));
  return {
    digest,
    sender,
    objects,
    events: [],
    funds: new Map(),
    record,
    created: new Set(),
    deleted: new Set(),
    receivable,
    received: new Map(),
    context,
    senderHasAliases,
    derivedIds: 0n,
    gasCoin: undefined,
  };
}

export function liveObject({ id, type, hasPublicTransfer, owner, contents }: ChainObject): LiveObject {
  return { id, type, hasPublicTransfer, owner, contents };
}

export interface NewObject {
  readonly type: string;
  readonly hasPublicTransfer: boolean;
  contents(id: string): Uint8Array;
}

/** Creates an object with the transaction's next derived id. */
export function createObject(workspace: Workspace, { type, hasPublicTransfer, contents }: NewObject): LiveObject {
  const id = derivedObjectId(workspace.digest, workspace.derivedIds);
  workspace.derivedIds += 1n;
  return addObject(workspace, { id, type, hasPublicTransfer, owner: undefined, contents: contents(id) });
}

/** Adds an object whose id is not derived from the transaction, such as a dynamic field. */
export function addObject(workspace: Workspace, object: LiveObject): LiveObject {
  workspace.objects.set(object.id, object);
  workspace.created.add(object.id);
  return object;
}

export function createCoin(workspace: Workspace, coinObjectType: string, balance: bigint): LiveObject {
  return createObject(workspace, {
    type: coinObjectType,
    hasPublicTransfer: true,
    contents: (id) => coinContents(id, balance),
  });
}

/** Ends an object for good. */
export function deleteObject(workspace: Workspace, object: LiveObject): void {
  removeObject(workspace, object);
  workspace.deleted.add(object.id);
}

/** Takes an object out of sight without ending it: it is wrapped into another, or was never one on chain. */
export function removeObject(workspace: Workspace, object: LiveObject): void {
  workspace.objects.delete(object.id);
}

/** Brings an object back that was wrapped into another. */
export function unwrapObject(workspace: Workspace, object: LiveObject): LiveObject {
  workspace.objects.set(object.id, object);
  return object;
}

export function transferObject(object: LiveObject, address: string): void {
  object.owner = { kind: "address", address };
}

export function setCoinBalance(coin: LiveObject, balance: bigint): void {
  coin.contents = coinContents(coin.id, balance);
}
