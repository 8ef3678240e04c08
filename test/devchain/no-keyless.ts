/**
 * Replaces `poseidon-lite` and the curve bn254 in the chain's bundle. Only keyless accounts of the Aptos SDK use them,
 * and the chain has none. Each start of the chain would make their constants.
 */

function missing(): never {
  throw new Error("the development chain has no keyless accounts");
}

export {
  missing as poseidon1,
  missing as poseidon2,
  missing as poseidon3,
  missing as poseidon4,
  missing as poseidon5,
  missing as poseidon6,
  missing as poseidon7,
  missing as poseidon8,
  missing as poseidon9,
  missing as poseidon10,
  missing as poseidon11,
  missing as poseidon12,
  missing as poseidon13,
  missing as poseidon14,
  missing as poseidon15,
  missing as poseidon16,
};

/** The SDK makes two constants of the curve when it is loaded. */
export const bn254 = { fields: { Fp: { create: Number }, Fp2: { fromBigTuple: Number } } };
