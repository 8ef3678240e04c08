// The bundle gets what is named here. A lazy import of the package itself would bring all of its exports.
export { secp256k1 } from "@noble/curves/secp256k1.js";
