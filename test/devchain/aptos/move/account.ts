import * as z from "zod";
import { type Address, displayAddress } from "../address.ts";
import { fromHex } from "../hex.ts";
import type { Json } from "./values.ts";
import { moveAbort, type World } from "./world.ts";

const ACCOUNT_RESOURCE = "0x1::account::Account";
/** What the resource takes in storage, key included: makes an account cost 491,600 octas. Recorded. */
const ACCOUNT_BYTES = 229;
const AUTHENTICATION_KEY_BYTES = 32;

const AccountData = z.object({ sequence_number: z.string().transform(BigInt), authentication_key: z.string() });

export interface Account {
  readonly sequenceNumber: bigint;
  /** `0x` and 64 digits. */
  readonly authenticationKey: string;
}

type Reads = Pick<World, "get">;

/** The account of an address, or undefined where nothing has made one yet. */
export function findAccount(world: Reads, address: Address): Account | undefined {
  const data = world.get(address, ACCOUNT_RESOURCE)?.resources[ACCOUNT_RESOURCE];
  if (data === undefined) return undefined;
  const { sequence_number: sequenceNumber, authentication_key: authenticationKey } = AccountData.parse(data);
  return { sequenceNumber, authenticationKey };
}

/** An address without a resource is an account all the same (AIP-115): unused, and with the key that it was made from. */
export function accountAt(world: Reads, address: Address): Account {
  return findAccount(world, address) ?? { sequenceNumber: 0n, authenticationKey: address };
}

export function putAccount(world: World, address: Address, account: Account): void {
  world.put(address, ACCOUNT_RESOURCE, { [ACCOUNT_RESOURCE]: accountJson(address, account) }, ACCOUNT_BYTES);
}

/** `account::rotate_authentication_key_call`: no proof is asked for, and so any key can be set. */
export function rotateKey(world: World, address: Address, key: Uint8Array): void {
  if (key.length !== AUTHENTICATION_KEY_BYTES) {
    throw moveAbort(
      "0x1::account",
      0x10004n,
      "EMALFORMED_AUTHENTICATION_KEY",
      "The provided authentication key has an invalid length",
    );
  }
  const { sequenceNumber } = accountAt(world, address);
  const authenticationKey = `0x${[...key].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  putAccount(world, address, { sequenceNumber, authenticationKey });
}

export function keyBytes({ authenticationKey }: Account): Uint8Array {
  return fromHex(authenticationKey);
}

function accountJson(address: Address, { sequenceNumber, authenticationKey }: Account): Json {
  const handle = (creationNumber: string) => ({
    counter: "0",
    guid: { id: { addr: displayAddress(address), creation_num: creationNumber } },
  });
  const nobody = { for: { vec: [] } };
  return {
    authentication_key: authenticationKey,
    coin_register_events: handle("0"),
    guid_creation_num: "2",
    key_rotation_events: handle("1"),
    rotation_capability_offer: nobody,
    sequence_number: String(sequenceNumber),
    signer_capability_offer: nobody,
  };
}
