const RANDOM_BYTES = 3;

/** A name that the user's account has no badge of yet: on Aptos two of one name would have one address. */
export function freshBadgeName(): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return `First light ${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
