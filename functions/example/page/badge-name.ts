const RANDOM_BYTES = 3;

/**
 * Returns a name of which the user's account has no badge yet. On Aptos two badges of one name would have one address.
 */
export function freshBadgeName(): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return `First light ${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
