import type { Secp256r1PublicKey, WebAuthnSignature } from "@aptos-labs/ts-sdk";
import { sha256 } from "@noble/hashes/sha2.js";
import { sha3_256 } from "@noble/hashes/sha3.js";
import * as z from "zod";
import { toHex } from "./hex.ts";

/** Half of the order of the curve: a higher `s` is refused (aptos-crypto, secp256r1_ecdsa). */
const HIGHEST_S = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n;
const SCALAR_BYTES = 32;

const ClientData = z.object({ challenge: z.string() });

/** Verifies a passkey's assertion: its challenge is the hash of the message (AIP-66; types/src/transaction/webauthn.rs). */
export async function verifyPasskey(
  publicKey: Secp256r1PublicKey,
  assertion: WebAuthnSignature,
  message: Uint8Array,
): Promise<boolean> {
  const [signature, authenticatorData, clientData] = [
    assertion.signature.toUint8Array(),
    assertion.authenticatorData.toUint8Array(),
    assertion.clientDataJSON.toUint8Array(),
  ];
  try {
    const { challenge } = ClientData.parse(JSON.parse(new TextDecoder().decode(clientData)));
    if (challenge !== Buffer.from(sha3_256(message)).toString("base64url")) return false;
    if (BigInt(`0x${toHex(signature.slice(SCALAR_BYTES))}`) > HIGHEST_S) return false;
    const curve = { name: "ECDSA", namedCurve: "P-256" };
    const key = await crypto.subtle.importKey("raw", publicKey.toUint8Array(), curve, false, ["verify"]);
    const signed = Uint8Array.from([...authenticatorData, ...sha256(clientData)]);
    return await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, signature, signed);
  } catch {
    return false;
  }
}
