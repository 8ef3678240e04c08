import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { fromBase64 } from "@mysten/sui/utils";
import type { SuiServices } from "./grpc/services.ts";

// The bundle contains only the names here. A lazy import of a package itself would add all of its exports.
export { parseSerializedSignature } from "@mysten/sui/cryptography";
export { MultiSigPublicKey, parsePartialSignatures } from "@mysten/sui/multisig";
export { isValidTransactionSignature, publicKeyFromRawBytes } from "@mysten/sui/verify";

/**
 * Returns the client with which the SDK judges zkLogin signatures of transactions. The SDK calls nothing else of a
 * client (`@mysten/sui`, `zklogin/publickey`).
 */
export function zkLoginJudge({ signatureVerificationService }: SuiServices): SuiGrpcClient {
  const core: Pick<SuiGrpcClient["core"], "verifyZkLoginSignature"> = {
    verifyZkLoginSignature: async ({ bytes, signature, intentScope, address, signal }) => {
      const { isValid, reason } = await signatureVerificationService.verifySignature(
        {
          message: { name: intentScope, value: fromBase64(bytes) },
          signature: { bcs: { value: fromBase64(signature) }, signature: { oneofKind: undefined } },
          address,
          jwks: [],
        },
        signal === undefined ? {} : { abort: signal },
      ).response;
      return { success: isValid ?? false, errors: reason === undefined ? [] : [reason] };
    },
  };
  return { core } as SuiGrpcClient;
}
