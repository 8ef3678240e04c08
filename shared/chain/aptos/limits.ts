/** Bounds of the Aptos chain, each with the place in aptos-core that sets it. */

/**
 * `max_transaction_size_in_bytes` (aptos-gas-schedule, `transaction.rs`): the chain refuses longer raw transactions.
 */
export const MAX_TRANSACTION_BYTES = 65_536;
/**
 * A limit of ours: a raw transaction, and as much again for its authenticators. The longest signatures that the chain
 * accepts stay below it: 32 WebAuthn ones of 1,024 bytes, or three keyless ones of 4,000.
 */
export const MAX_SIGNED_TRANSACTION_BYTES = 2 * MAX_TRANSACTION_BYTES;
/** `MAX_NUM_OF_SIGS` (types, `authenticator.rs`): signatures of sender and secondary signers together. */
export const MAX_SIGNATURES = 32;
/** `MAX_SIGNATURES` less the sender's own. */
export const MAX_SECONDARY_SIGNERS = MAX_SIGNATURES - 1;
/** A raw transaction with its signers before they sign: the secondary ones, their number, and an optional fee payer. */
export const MAX_UNSIGNED_TRANSACTION_BYTES = MAX_TRANSACTION_BYTES + 1 + 32 * MAX_SECONDARY_SIGNERS + 1 + 32;
/**
 * A limit of ours: the longest lifetime of a transaction if only a node can judge one of its signatures. Anybody can
 * invent such a signature, and the money withheld for it is free only after the expiration. The workflow `sponsor` lets
 * its transactions live 120 seconds. The rest is for clocks that differ.
 */
export const MAX_UNJUDGED_SECONDS = 150n;
/** AIP-55: keys of a MultiKey account, as many as a `u8` counts. */
export const MAX_MULTI_KEYS = 255;
/** `MAX_BUCKETS` (aptos-bitvec). */
export const MAX_BITMAP_BYTES = 32;
/** `IDENTIFIER_SIZE_MAX` (move-binary-format, `file_format_common.rs`). */
export const MAX_IDENTIFIER_BYTES = 255;
/** `MAX_TYPE_TAG_NESTING` (move-core-types, `safe_serialize.rs`): the depth of nested vectors and structs. */
export const MAX_TYPE_TAG_NESTING = 8;

/** `maximum_number_of_gas_units` (aptos-gas-schedule, `transaction.rs`). */
export const MAX_GAS_UNITS = 20_000_000n;
/** `min_transaction_gas_units` is 27.6 units. A transaction is charged at least that, and must allow it. */
export const MIN_GAS_UNITS = 28n;
/** `min_price_per_gas_unit`, octas. */
export const MIN_GAS_UNIT_PRICE_OCTAS = 100n;
/**
 * The storage, octas, for the creation of an account (aptos-vm, `gas.rs`). The first transaction of an address without
 * an account creates it, and must allow this and `ACCOUNT_CREATION_GAS_UNITS`.
 */
export const ACCOUNT_CREATION_STORAGE_OCTAS = 520_000n;
/** The units of gas that the creation of an account costs, beside its storage (aptos-vm, `gas.rs`). */
export const ACCOUNT_CREATION_GAS_UNITS = 10n;
/** A transaction with this sequence number could have no successor (`transaction_validation.move`). */
export const MAX_SEQUENCE_NUMBER = 2n ** 64n - 2n;

/** RFC 8032. */
export const ED25519_PUBLIC_KEY_BYTES = 32;
/** RFC 8032. */
export const ED25519_SIGNATURE_BYTES = 64;
/**
 * BCS of an Ed25519 account authenticator: variant, public key and signature. The last two have their length before
 * them.
 */
export const ED25519_AUTHENTICATOR_BYTES = 1 + 1 + ED25519_PUBLIC_KEY_BYTES + 1 + ED25519_SIGNATURE_BYTES;
/** FIPS 205, SLH-DSA-SHA2-128s. */
export const SLH_DSA_PUBLIC_KEY_BYTES = 32;
/** FIPS 205, SLH-DSA-SHA2-128s. */
export const SLH_DSA_SIGNATURE_BYTES = 7_856;
/** SEC 1, uncompressed, for secp256k1 and secp256r1 (aptos-crypto). */
export const ECDSA_PUBLIC_KEY_BYTES = 65;
/** The scalars r and s in 32 bytes each, for secp256k1 and secp256r1 (aptos-crypto). */
export const ECDSA_SIGNATURE_BYTES = 64;
