import { hash } from "node:crypto";
import { concatBytes, lengthPrefixed, utf8 } from "../bytes.ts";
import type { Chain } from "../networks.ts";

/** The longest wallet id, in bytes of UTF-8. */
export const MAX_WALLET_ID_BYTES = 256;

/** Which wallet: there is one for each project, chain and wallet id, the same on every network of the chain. */
export interface WalletRef {
  readonly projectId: string;
  readonly chain: Chain;
  /** The app's own name for it, taken as it is: no two different texts are the same wallet. */
  readonly walletId: string;
}

/** As bound and exported: never to be changed. */
const chainIds = { aptos: 1, sui: 2 } as const satisfies Record<Chain, number>;

/** A record opens on all networks of its chain. Other realms are not used. */
const ALL_NETWORKS = 0;

/** Unpaired surrogates are refused because they all encode as the same bytes. */
export function isWalletId(text: string): boolean {
  return text !== "" && text.isWellFormed() && utf8(text).length <= MAX_WALLET_ID_BYTES;
}

/** The name of a wallet's object. The id itself is hashed: it may be long, and names of objects show up in dashboards. */
export function walletName({ projectId, chain, walletId }: WalletRef): string {
  return `${projectId}:${chain}:${hash("sha256", walletId, "base64url")}`;
}

/**
 * What a wallet's layers of encryption are bound to:
 *
 *     "ivw1/ctx" ‖ LP(project id) ‖ chain(1: 1 Aptos, 2 Sui) ‖ realm(1: 0, all networks of the chain) ‖ LP(wallet id)
 *
 * LP(text) is its length in bytes (u16, big-endian) and its UTF-8; the project id is bound as written, `prj_` included.
 *
 * @throws RangeError for what is no wallet id: callers refuse that first.
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
