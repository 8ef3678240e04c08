import {
  AbstractedAccount,
  type AccountAuthenticatorAbstraction,
  DerivableAbstractedAccount,
  Deserializer,
  Ed25519PublicKey,
  Ed25519Signature,
} from "@aptos-labs/ts-sdk";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { APTOS_DEMO_MODULE } from "../demo.ts";
import { type Address, longAddress } from "./address.ts";
import { fromHex, toHex } from "./hex.ts";
import { delegateKey, hasAuthenticator } from "./move/abstraction.ts";
import type { World } from "./move/world.ts";

/**
 * Accounts whose signature a Move function judges (AIP-104, AIP-113). There is one such function, the demo module's. It
 * takes an Ed25519 key and its signature over the digest.
 */

const KEY_BYTES = 32;

interface Claim {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** A derivable account names its key apart, an abstracted one before its signature. */
function claimOf({ abstractionSignature: bytes, accountIdentity }: AccountAuthenticatorAbstraction): Claim {
  if (accountIdentity !== undefined) return { publicKey: accountIdentity, signature: bytes };
  const whole = new Deserializer(bytes).deserializeBytes();
  return { publicKey: whole.slice(0, KEY_BYTES), signature: whole.slice(KEY_BYTES) };
}

/** Whether the function takes the signature, and it is over this message. */
export async function verifyAbstraction(
  authenticator: AccountAuthenticatorAbstraction,
  message: Uint8Array,
  verify: (key: Ed25519PublicKey, signature: Ed25519Signature, message: Uint8Array) => Promise<boolean>,
): Promise<boolean> {
  const { functionInfo, signingMessageDigest } = authenticator;
  if (functionInfo !== `${APTOS_DEMO_MODULE}::authenticate`) return false;
  const asked = AbstractedAccount.generateAccountAbstractionMessage(message, functionInfo);
  const digest = sha3_256(asked instanceof Uint8Array ? asked : fromHex(asked));
  if (toHex(digest) !== toHex(signingMessageDigest.toUint8Array())) return false;
  const { publicKey, signature } = claimOf(authenticator);
  try {
    return await verify(new Ed25519PublicKey(publicKey), new Ed25519Signature(signature), digest);
  } catch {
    return false;
  }
}

/** Whether the account has chosen the function and that key, or has its address from both. */
export function isAbstractionOf(
  world: Pick<World, "get">,
  address: Address,
  authenticator: AccountAuthenticatorAbstraction,
): boolean {
  const { functionInfo, accountIdentity } = authenticator;
  if (accountIdentity !== undefined) {
    const derived = DerivableAbstractedAccount.computeAccountAddress(functionInfo, accountIdentity);
    return longAddress(`0x${toHex(derived)}`) === address;
  }
  const key = `0x${toHex(claimOf(authenticator).publicKey)}`;
  return hasAuthenticator(world, address, functionInfo) && delegateKey(world, address) === key;
}
