import { createHmac } from "node:crypto";
import { concatBytes, lengthPrefixed } from "../bytes.ts";
import { sha256Base64url } from "../crypto/sha256.ts";

/**
 * A user of an app that holds one secret. The app names its users' wallets, and makes their secrets, by these rules.
 * They are fixed for ever: with any change, the app would have other wallets.
 *
 *     wallet id      base64url(SHA-256(LP(issuer) ‖ LP(subject)))
 *     wallet secret  base64url(HMAC-SHA-256(app secret, "wallet" ‖ wallet id))
 */
export interface User {
  /** The party that vouches for the subject. */
  readonly issuer: string;
  readonly subject: string;
}

/** The issuer of the users that an app's own back end names. */
export const BACK_END_ISSUER = "gasworks:flows:caller-secret";

/** The id and the secret of a user's wallet, as the workflows derive them. */
export interface UserWallet {
  readonly walletId: string;
  /** 32 bytes, so that a project with the `hkdf` derivation takes it. */
  readonly secret: string;
}

/** Returns the id of a user's wallet. It is the same on every chain. */
export function userWalletId({ issuer, subject }: User): string {
  const named = concatBytes(lengthPrefixed(issuer), lengthPrefixed(subject));
  return sha256Base64url(named);
}

/** Returns a user's wallet. It is the same on every chain. @param flowsSecret 32 bytes. */
export function userWallet(user: User, flowsSecret: Uint8Array): UserWallet {
  const walletId = userWalletId(user);
  const secret = createHmac("sha256", flowsSecret).update(`wallet${walletId}`).digest("base64url");
  return { walletId, secret };
}
