import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { whyInvalid } from "../signature-check.ts";
import { signingDigest } from "../signatures.ts";
import { invalidArgument } from "../status.ts";
import { decodeTransaction, parseAddress } from "../transaction.ts";
import { decodeUserSignature } from "../user-signature.ts";
import { type Methods, unary } from "./method.ts";

/** Verifies for real; the reasons are in sui-types' words behind the label that sui-crypto gives its errors. */
export function signatureService(): Methods {
  return {
    "SignatureVerificationService/VerifySignature": unary(
      GrpcTypes.VerifySignatureRequest,
      GrpcTypes.VerifySignatureResponse,
      async (request) => {
        const serialized = request.signature?.bcs?.value;
        if (serialized === undefined) throw invalidArgument("missing signature");
        const signature = decodeUserSignature(serialized);
        const digest = digestOf(request.message);
        const address = request.address === undefined ? undefined : parseAddress("address", request.address);
        if (signature.kind === "zklogin") return invalid("signature error: support for zklogin is not enabled");
        if (address !== undefined && address !== signature.address) {
          return invalid(`provided address \`${address}\` does not match derived address \`${signature.address}\``);
        }
        const reason = await whyInvalid(signature, digest);
        return reason === undefined ? { isValid: true } : invalid(`signature error: ${reason}`);
      },
    ),
  };
}

function invalid(reason: string): GrpcTypes.VerifySignatureResponse {
  return { isValid: false, reason };
}

/** What was signed: a transaction, or a personal message as a BCS vector of bytes. */
function digestOf(message: GrpcTypes.Bcs | undefined): Uint8Array<ArrayBuffer> {
  const bytes = message?.value;
  if (bytes === undefined) throw invalidArgument("missing message");
  switch (message?.name) {
    case "TransactionData":
      return signingDigest(decodeTransaction(bytes).bytes);
    case "PersonalMessage":
      if (!isByteVector(bytes)) throw invalidArgument("invalid message");
      return signingDigest(bytes, "PersonalMessage");
    default:
      return isByteVector(bytes)
        ? signingDigest(bytes, "PersonalMessage")
        : signingDigest(decodeTransaction(bytes).bytes);
  }
}

function isByteVector(bytes: Uint8Array): boolean {
  try {
    const content = bcs.byteVector().parse(bytes);
    return bcs.byteVector().serialize(content).toBytes().length === bytes.length;
  } catch {
    return false;
  }
}
