/** Writes an address in full length from its last digits. */
export const fullAddress = (tail: string) => `0x${tail.padStart(64, "0")}`;
