/** Bounds a gas price to this multiple of the chain's price. Otherwise a caller could inflate the charge at will. */
export const MAX_PRICE_FACTOR = 5n;
