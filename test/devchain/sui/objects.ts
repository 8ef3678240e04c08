import { bcs, TypeTagSerializer } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { normalizeStructTag, toBase58 } from "@mysten/sui/utils";
import { taggedHash } from "./hash.ts";

export type Owner =
  | { readonly kind: "address"; readonly address: string }
  /** A child of another object; transactions cannot name it. */
  | { readonly kind: "object"; readonly parent: string }
  /** Owned by an address, but ordered by consensus (sui-types object.rs: `ConsensusAddressOwner`). */
  | { readonly kind: "party"; readonly address: string; readonly startVersion: bigint }
  | { readonly kind: "shared"; readonly initialSharedVersion: bigint }
  | { readonly kind: "immutable" };

/** One version of a Move object. Ids and addresses are in the long form, types canonical. */
export interface ChainObject {
  readonly id: string;
  readonly version: bigint;
  readonly digest: string;
  readonly owner: Owner;
  readonly type: string;
  readonly hasPublicTransfer: boolean;
  readonly contents: Uint8Array;
  readonly previousTransaction: string;
  readonly storageRebate: bigint;
}

export const SUI_TYPE = normalizeStructTag("0x2::sui::SUI");
export const SUI_COIN_TYPE = normalizeStructTag("0x2::coin::Coin<0x2::sui::SUI>");

/** The previous transaction of objects from genesis; never a dependency (sui-types: `genesis_marker`). */
export const GENESIS_TRANSACTION = "11111111111111111111111111111111";

const COIN_PREFIX = `${normalizeStructTag("0x2::coin::Coin")}<`;
const COIN_BALANCE_OFFSET = 32;
const COIN_CONTENTS_BYTES = 40;

/** What the storage fee counts beside type and contents (sui-types object.rs: `object_size_for_gas_metering`). */
const OBJECT_META_BYTES = 80;
const PUBLIC_TRANSFER_AND_VERSION_BYTES = 9;

export function coinTypeOf(objectType: string): string | undefined {
  return objectType.startsWith(COIN_PREFIX) ? objectType.slice(COIN_PREFIX.length, -1) : undefined;
}

export function coinObjectType(coinType: string): string {
  return `${COIN_PREFIX}${coinType}>`;
}

/** BCS of `0x2::coin::Coin<T> { id: UID, balance: Balance<T> }`. */
export function coinContents(id: string, balance: bigint): Uint8Array {
  const contents = new Uint8Array(COIN_CONTENTS_BYTES);
  contents.set(bcs.Address.serialize(id).toBytes());
  new DataView(contents.buffer).setBigUint64(COIN_BALANCE_OFFSET, balance, true);
  return contents;
}

export function coinBalance(contents: Uint8Array): bigint {
  return new DataView(contents.buffer, contents.byteOffset, contents.byteLength).getBigUint64(
    COIN_BALANCE_OFFSET,
    true,
  );
}

/** Stands in for the gas payment of a simulation that names none (sui-core: mock gas object). */
const MOCK_GAS_ID = `0x${"ff".repeat(32)}`;
const MOCK_GAS_BALANCE_MIST = 1_000_000_000n * 1_000_000_000n;

export function mockGasCoin(owner: string): ChainObject {
  return withDigest({
    id: MOCK_GAS_ID,
    version: 1n,
    owner: { kind: "address", address: owner },
    type: SUI_COIN_TYPE,
    hasPublicTransfer: true,
    contents: coinContents(MOCK_GAS_ID, MOCK_GAS_BALANCE_MIST),
    previousTransaction: GENESIS_TRANSACTION,
    storageRebate: 0n,
  });
}

type MoveObjectType = typeof bcs.MoveObjectType.$inferInput;

const moveObjectTypes = new Map<string, { value: MoveObjectType; bytes: number }>();

/** The compressed type that an object carries on chain, and its size in BCS. */
function moveObjectType(type: string): { value: MoveObjectType; bytes: number } {
  const known = moveObjectTypes.get(type);
  if (known) return known;
  const value = compressType(type);
  const entry = { value, bytes: bcs.MoveObjectType.serialize(value).toBytes().length };
  moveObjectTypes.set(type, entry);
  return entry;
}

function compressType(type: string): MoveObjectType {
  if (type === SUI_COIN_TYPE) return { GasCoin: true };
  const coinType = coinTypeOf(type);
  if (coinType !== undefined) return { Coin: coinType };
  const tag = TypeTagSerializer.parseFromStr(type, true);
  if (!("struct" in tag)) throw new Error(`${type} is not a struct type`);
  return { Other: tag.struct };
}

export function objectBcs(object: Omit<ChainObject, "digest">): Uint8Array {
  return bcs.Object.serialize({
    data: {
      Move: {
        type: moveObjectType(object.type).value,
        hasPublicTransfer: object.hasPublicTransfer,
        version: object.version,
        contents: object.contents,
      },
    },
    owner: ownerBcs(object.owner),
    previousTransaction: object.previousTransaction,
    storageRebate: object.storageRebate,
  }).toBytes();
}

/** Completes an object with its digest, base58 of blake2b256("Object::" ‖ BCS). */
export function withDigest(object: Omit<ChainObject, "digest">): ChainObject {
  return { ...object, digest: toBase58(taggedHash("Object", objectBcs(object))) };
}

/** The size that the storage fee is charged for, in bytes. */
export function storageBytes(type: string, contents: Uint8Array): bigint {
  return BigInt(OBJECT_META_BYTES + moveObjectType(type).bytes + PUBLIC_TRANSFER_AND_VERSION_BYTES + contents.length);
}

/** The version at which an object came under consensus, or undefined when it is not. */
export function consensusStart(owner: Owner): bigint | undefined {
  if (owner.kind === "shared") return owner.initialSharedVersion;
  return owner.kind === "party" ? owner.startVersion : undefined;
}

/** Whose coins and objects an owner's are: an address, or nobody in particular. */
export function ownerAddress(owner: Owner): string | undefined {
  return owner.kind === "address" || owner.kind === "party" ? owner.address : undefined;
}

export function ownerBcs(owner: Owner) {
  switch (owner.kind) {
    case "address":
      return { AddressOwner: owner.address } as const;
    case "object":
      return { ObjectOwner: owner.parent } as const;
    case "party":
      return { ConsensusAddressOwner: { startVersion: owner.startVersion, owner: owner.address } } as const;
    case "shared":
      return { Shared: { initialSharedVersion: owner.initialSharedVersion } } as const;
    case "immutable":
      return { Immutable: true } as const;
  }
}

export function ownerProto(owner: Owner): GrpcTypes.Owner {
  switch (owner.kind) {
    case "address":
      return { kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: owner.address };
    case "object":
      return { kind: GrpcTypes.Owner_OwnerKind.OBJECT, address: owner.parent };
    case "party":
      return { kind: GrpcTypes.Owner_OwnerKind.CONSENSUS_ADDRESS, address: owner.address, version: owner.startVersion };
    case "shared":
      return { kind: GrpcTypes.Owner_OwnerKind.SHARED, version: owner.initialSharedVersion };
    case "immutable":
      return { kind: GrpcTypes.Owner_OwnerKind.IMMUTABLE };
  }
}
