/** The form of a u64 as a decimal string. It admits numbers of 20 digits above 2^64 - 1, which `u64Text` refuses. */
export const DECIMAL_U64 = /^(0|[1-9][0-9]{0,19})$/;
