// The bundle gets what is named here. A lazy import of a package itself would bring all of its exports.
export { parseSerializedSignature } from "@mysten/sui/cryptography";
export { MultiSigPublicKey, parsePartialSignatures } from "@mysten/sui/multisig";
export { isValidTransactionSignature, publicKeyFromRawBytes } from "@mysten/sui/verify";
