/** Bounds a gas price to this multiple of what the chain asks. A caller could inflate the charge at will otherwise. */
export const MAX_PRICE_FACTOR = 5n;
