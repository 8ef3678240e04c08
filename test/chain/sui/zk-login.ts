import { computeZkLoginAddressFromSeed, getZkLoginSignature } from "@mysten/sui/zklogin";

const addressSeed = "42";
const iss = "https://accounts.test";
const claim = `"iss":"${iss}",`;
const inputs = {
  proofPoints: {
    a: ["1", "2", "1"],
    b: [
      ["1", "2"],
      ["3", "4"],
      ["1", "0"],
    ],
    c: ["5", "6", "1"],
  },
  issBase64Details: { value: btoa(claim), indexMod4: 0 },
  headerBase64: btoa('{"alg":"RS256"}'),
  addressSeed,
};

/** Of a zkLogin signature whose form is right. Only a node can judge its proof. */
export const ZK_LOGIN_ADDRESS = computeZkLoginAddressFromSeed(BigInt(addressSeed), iss, false);

export function zkLoginSignature(userSignature: string): string {
  return getZkLoginSignature({ inputs, maxEpoch: "5", userSignature });
}
