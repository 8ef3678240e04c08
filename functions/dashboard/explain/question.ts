/** A text of the search box, by its possible meaning. */
export type Question =
  | { readonly kind: "empty" }
  /** A digest of Sui. A wallet id may look the same. */
  | { readonly kind: "digest"; readonly digest: string }
  /** A hash of Aptos, or an address of either chain: they look the same. */
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "request"; readonly requestId: string }
  /** The id of a fund or key, which has a page of its own. */
  | { readonly kind: "page"; readonly part: "funds" | "keys"; readonly id: string }
  /** Anything else may be the id of a wallet, which the app has chosen. */
  | { readonly kind: "wallet"; readonly walletId: string };

/** The most characters of a wallet id or a request id that are searched. */
const MAX_CHARACTERS = 100;

const FORMS: readonly (readonly [RegExp, (text: string) => Question])[] = [
  [/^fund_[0-9a-f]{20}$/, (id) => ({ kind: "page", part: "funds", id })],
  [/^key_[0-9a-f]{20}$/, (id) => ({ kind: "page", part: "keys", id })],
  [/^0x[0-9a-f]{64}$/i, (text) => ({ kind: "hash", hash: text.toLowerCase() })],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, (requestId) => ({ kind: "request", requestId })],
  [/^[1-9A-HJ-NP-Za-km-z]{40,44}$/, (digest) => ({ kind: "digest", digest })],
];

/** Returns the possible meaning of a text in the search box. Ignores spaces around it. */
export function questionOf(text: string): Question {
  const asked = text.trim();
  if (asked === "") return { kind: "empty" };
  const [, make] = FORMS.find(([form]) => form.test(asked)) ?? [];
  return make?.(asked) ?? { kind: "wallet", walletId: asked.slice(0, MAX_CHARACTERS) };
}
