import { hash } from "node:crypto";
import { concatBytes, lengthPrefixed, utf8 } from "../bytes.ts";
import type { Chain } from "../networks.ts";

/** The longest wallet id, in bytes of UTF-8. */
export const MAX_WALLET_ID_BYTES = 256;

/**
 * The identity of a wallet. A project has one wallet for each chain and wallet id, the same on every network of the
 * chain.
 */
export interface WalletRef {
  readonly projectId: string;
  readonly chain: Chain;
  /** The app's own name of the wallet, not normalized. Two different texts are two wallets. */
  readonly walletId: string;
}

/** The chain byte as bound and exported. It must never change. */
const chainIds = { aptos: 1, sui: 2 } as const satisfies Record<Chain, number>;

/** A record opens on all networks of its chain. Other realms are not used. */
const ALL_NETWORKS = 0;

/** Returns true for a valid wallet id. Unpaired surrogates are refused because they all encode as the same bytes. */
export function isWalletId(text: string): boolean {
  return text !== "" && text.isWellFormed() && utf8(text).length <= MAX_WALLET_ID_BYTES;
}

/** Returns the name of a wallet's object. The id is hashed: it may be long, and dashboards show names of objects. */
export function walletName({ projectId, chain, walletId }: WalletRef): string {
  return `${projectId}:${chain}:${hash("sha256", walletId, "base64url")}`;
}

/**
 * Returns the context that a wallet's layers of encryption are bound to:
 *
 *     "ivw1/ctx" ‖ LP(project id) ‖ chain(1: 1 Aptos, 2 Sui) ‖ realm(1: 0, all networks of the chain) ‖ LP(wallet id)
 *
 * LP(text) is its length in bytes (u16, big-endian) and its UTF-8. The project id is bound as written, `prj_`
 * included.
 *
 * @throws RangeError for an invalid wallet id, which callers refuse before.
 */
export function walletContext({ projectId, chain, walletId }: WalletRef): Uint8Array {
  if (!isWalletId(walletId)) throw new RangeError(`a wallet id has 1 to ${MAX_WALLET_ID_BYTES} bytes of UTF-8`);
  return concatBytes(
    utf8("ivw1/ctx"),
    lengthPrefixed(projectId),
    Uint8Array.of(chainIds[chain], ALL_NETWORKS),
    lengthPrefixed(walletId),
  );
}
