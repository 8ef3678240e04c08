import {
  type AccountAuthenticator,
  AccountAuthenticatorAbstraction,
  AccountAuthenticatorEd25519,
  AccountAuthenticatorMultiEd25519,
  AccountAuthenticatorMultiKey,
  AccountAuthenticatorSingleKey,
  type AnyPublicKey,
  type AnySignature,
  Ed25519PublicKey,
  Ed25519Signature,
  Secp256k1PublicKey,
  Secp256k1Signature,
  Secp256r1PublicKey,
  WebAuthnSignature,
} from "@aptos-labs/ts-sdk";
import { APT_METADATA, displayAddress, longAddress } from "./address.ts";
import { modelledHash } from "./blocks.ts";
import type { Output } from "./execute.ts";
import { toHex } from "./hex.ts";
import { functionJson } from "./move/modules.ts";
import { decodeArguments, targetOf } from "./move/run.ts";
import { type Json, toJson } from "./move/values.ts";
import type { ItemChange, MoveEvent } from "./move/world.ts";
import type { Signed } from "./signed.ts";

const ADDRESS_BYTES = 32;

/** A transaction as a node shows it that waits in the mempool: a `PendingTransaction` as POST answers it, without a type. */
export function pendingJson(signed: Signed) {
  const { raw } = signed;
  return {
    hash: signed.hash,
    sender: displayAddress(signed.sender),
    sequence_number: String(raw.sequence_number),
    max_gas_amount: String(raw.max_gas_amount),
    gas_unit_price: String(raw.gas_unit_price),
    expiration_timestamp_secs: String(raw.expiration_timestamp_secs),
    payload: payloadJson(signed),
    signature: signatureJson(signed),
    replay_protection_nonce: signed.nonce?.toString() ?? null,
  };
}

/** What execution adds; version, timestamp and type come with its place in the ledger. */
export function committedJson(signed: Signed, output: Output) {
  return {
    ...pendingJson(signed),
    state_change_hash: modelledHash(signed.hash, "state_change"),
    event_root_hash: modelledHash(signed.hash, "event_root"),
    state_checkpoint_hash: null,
    accumulator_root_hash: modelledHash(signed.hash, "accumulator_root"),
    gas_used: String(output.gasUsed),
    success: output.success,
    vm_status: output.vmStatus,
    changes: [...APT_CHANGES, ...output.changes.flatMap(changesJson)],
    events: output.events.map(eventJson),
  };
}

/** Fees are burned, and so each transaction writes the group of APT's object. The supply has an item of its own here. */
const APT_CHANGES: readonly Json[] = Object.entries({
  "0x1::coin::PairedCoinType": {
    type: { account_address: "0x1", module_name: "0x6170746f735f636f696e", struct_name: "0x4170746f73436f696e" },
  },
  "0x1::coin::PairedFungibleAssetRefs": {
    burn_ref_opt: { vec: [] },
    mint_ref_opt: { vec: [{ metadata: { inner: "0xa" } }] },
    transfer_ref_opt: { vec: [{ metadata: { inner: "0xa" } }] },
  },
  "0x1::fungible_asset::Metadata": {
    decimals: 8,
    icon_uri: "",
    name: "Aptos Coin",
    project_uri: "",
    symbol: "APT",
  },
  "0x1::object::ObjectCore": {
    allow_ungated_transfer: true,
    guid_creation_num: "1125899906842625",
    owner: "0x1",
    transfer_events: { counter: "0", guid: { id: { addr: "0xa", creation_num: "1125899906842624" } } },
  },
  "0x1::primary_fungible_store::DeriveRefPod": { metadata_derive_ref: { self: "0xa" } },
}).map(([type, data]) => ({
  address: "0xa",
  state_key_hash: modelledHash(APT_METADATA, "state_key"),
  data: { type, data },
  type: "write_resource",
}));

function payloadJson({ executable }: Signed): Json {
  const target = targetOf(executable);
  const { definition, typeArguments } = target;
  const common = { type_arguments: typeArguments, arguments: argumentsJson(target) };
  if (executable.kind === "entry_function") {
    return { function: target.id ?? "", ...common, type: "entry_function_payload" };
  }
  const bytecode = `0x${toHex(executable.script.bytecode)}`;
  const abi = definition === undefined ? null : functionJson(definition);
  return { code: { bytecode, abi }, ...common, type: "script_payload" };
}

/** By the types of the function where it is known and they fit, as bytes otherwise. */
function argumentsJson(target: ReturnType<typeof targetOf>): Json[] {
  if (target.definition === undefined) return target.raw.map(({ bytes }) => `0x${toHex(bytes)}`);
  try {
    return decodeArguments(target.definition, target).map(toJson);
  } catch {
    return target.raw.map(({ bytes }) => `0x${toHex(bytes)}`);
  }
}

/** The names of signatures that stand alone, where they differ from those beside others (recorded). */
const LONE_TYPES: Readonly<Record<string, string>> = {
  single_key_signature: "single_sender",
  multi_key_signature: "single_sender",
};

function typeOf(signature: Json): string {
  return String(Object(signature).type);
}

function signatureJson({ form, senderAuthenticator, secondaries, feePayer }: Signed): Json {
  const sender = authenticatorJson(senderAuthenticator);
  if (form === "single_sender") return { ...Object(sender), type: LONE_TYPES[typeOf(sender)] ?? typeOf(sender) };
  const withSecondaries = {
    sender,
    secondary_signer_addresses: secondaries.map(({ address }) => displayAddress(address)),
    secondary_signers: secondaries.map(({ authenticator }) => authenticatorJson(authenticator)),
  };
  if (feePayer === undefined) return { ...withSecondaries, type: "multi_agent_signature" };
  return {
    ...withSecondaries,
    fee_payer_address: displayAddress(feePayer.address),
    fee_payer_signer: authenticatorJson(feePayer.authenticator),
    type: "fee_payer_signature",
  };
}

function authenticatorJson(authenticator: AccountAuthenticator): Json {
  if (authenticator instanceof AccountAuthenticatorEd25519) {
    return {
      public_key: authenticator.public_key.toString(),
      signature: authenticator.signature.toString(),
      type: "ed25519_signature",
    };
  }
  if (authenticator instanceof AccountAuthenticatorSingleKey) {
    return {
      public_key: publicKeyJson(authenticator.public_key),
      signature: anySignatureJson(authenticator.signature),
      type: "single_key_signature",
    };
  }
  if (authenticator instanceof AccountAuthenticatorMultiKey) return multiKeyJson(authenticator);
  if (authenticator instanceof AccountAuthenticatorMultiEd25519) return multiEd25519Json(authenticator);
  if (authenticator instanceof AccountAuthenticatorAbstraction) return abstractJson(authenticator);
  return { type: "no_account_signature" };
}

/** What follows the function in the bytes is its data (aptos-core, api/types/src/transaction.rs). */
function abstractJson(authenticator: AccountAuthenticatorAbstraction): Json {
  const { functionInfo } = authenticator;
  const [address = "", module = "", name = ""] = functionInfo.split("::");
  const headBytes = 1 + ADDRESS_BYTES + 1 + module.length + 1 + name.length;
  const data = authenticator.bcsToBytes().slice(headBytes);
  const shown = `${displayAddress(longAddress(address))}::${module}::${name}`;
  return { function_info: shown, auth_data: `0x${toHex(data)}`, type: "abstract_signature" };
}

function multiKeyJson({ public_keys: keys, signatures }: AccountAuthenticatorMultiKey): Json {
  const signers = signatures.bitMapToSignerIndices();
  return {
    public_keys: keys.publicKeys.map(publicKeyJson),
    signatures: signatures.signatures.map((signature, index) => ({
      index: signers[index] ?? 0,
      signature: anySignatureJson(signature),
    })),
    signatures_required: keys.signaturesRequired,
    type: "multi_key_signature",
  };
}

function multiEd25519Json({ public_key: keys, signature }: AccountAuthenticatorMultiEd25519): Json {
  return {
    public_keys: keys.publicKeys.map(String),
    signatures: signature.signatures.map(String),
    threshold: keys.threshold,
    bitmap: `0x${toHex(signature.bitmap)}`,
    type: "multi_ed25519_signature",
  };
}

function publicKeyJson({ publicKey }: AnyPublicKey): Json {
  return { value: publicKey.toString(), type: kindOf(publicKey) };
}

function anySignatureJson({ signature }: AnySignature): Json {
  const value = signature instanceof WebAuthnSignature ? signature.bcsToHex() : signature;
  return { value: value.toString(), type: kindOf(signature) };
}

function kindOf(part: object): string {
  if (part instanceof Ed25519PublicKey || part instanceof Ed25519Signature) return "ed25519";
  if (part instanceof Secp256k1PublicKey || part instanceof Secp256k1Signature) return "secp256k1_ecdsa";
  if (part instanceof Secp256r1PublicKey) return "secp256r1_ecdsa";
  return part instanceof WebAuthnSignature ? "web_authn" : "unknown";
}

function changesJson({ address, before, after }: ItemChange): Json[] {
  const common = { address: displayAddress(address), state_key_hash: modelledHash(address, "state_key") };
  if (after === undefined) {
    const gone = Object.keys(before?.resources ?? {});
    return gone.map((resource) => ({ ...common, resource, type: "delete_resource" }));
  }
  return Object.entries(after.resources).map(([type, data]) => ({
    ...common,
    data: { type, data },
    type: "write_resource",
  }));
}

/** Events of modules belong to no account and are not counted. */
function eventJson({ type, data }: MoveEvent): Json {
  return { guid: { creation_number: "0", account_address: "0x0" }, sequence_number: "0", type, data };
}
