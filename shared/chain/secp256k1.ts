// The bundle contains only the names here. A lazy import of the package itself would add all of its exports.
export { secp256k1 } from "@noble/curves/secp256k1.js";
