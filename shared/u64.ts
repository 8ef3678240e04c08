/** 2^64 - 1. */
export const MAX_U64 = 2n ** 64n - 1n;
