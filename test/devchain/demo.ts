/** The one application package of the development chain. It is there from genesis and cannot be upgraded. */
export const DEMO_PACKAGE = "0xdec0de0000000000000000000000000000000000000000000000000000000001";

/** A shared `demo::Counter`, there from genesis: pass it to `demo::increment` and `demo::increment_by`. */
export const DEMO_COUNTER = {
  objectId: "0xdec0de0000000000000000000000000000000000000000000000000000000002",
  initialSharedVersion: 1n,
} as const;

/** Abort code of `demo::increment_by` when its second argument is zero. */
export const DEMO_ABORT_ZERO_INCREMENT = 1n;

/** Abort codes of `demo::lock` when there is a badge in the locker, and of `unlock` and `burn_locked` when there is none. */
export const DEMO_ABORT_LOCKER_FULL = 2n;
export const DEMO_ABORT_LOCKER_EMPTY = 3n;

/** A `demo::Badge` that is owned by the counter, as a dynamic field is: no transaction can name it. */
export const DEMO_CHILD = "0xdec0de0000000000000000000000000000000000000000000000000000000003";

/** The one application module of the Aptos part of the chain, at an address that nobody has the key of. */
export const APTOS_DEMO_MODULE = "0xdec0de0000000000000000000000000000000000000000000000000000000001::demo";

/** The metadata object of a fungible asset beside APT, which `demo::mint_gold` makes more of for anybody. */
export const APTOS_GOLD = "0xdec0de0000000000000000000000000000000000000000000000000000000004";

/**
 * Two scripts that the Aptos part of the chain knows, assembled by hand and never run: `main(sender: &signer, to: address,
 * amount: u64)`, and `main(first: &signer, second: &signer, to: address, by_first: u64, by_second: u64)`. Both transfer APT.
 */
export const APTOS_TRANSFER_SCRIPT =
  "a11ceb0b0600000005010002030205050706070d17082420000000010100000003060c05030d6170746f735f6163636f756e74087472616e736665720000000000000000000000000000000000000000000000000000000000000001000100050b000b010b02110002";
export const APTOS_PAY_TOGETHER_SCRIPT =
  "a11ceb0b060000000501000203020505070e071517082c20000000010100000003060c050305060c060c0503030d6170746f735f6163636f756e74087472616e736665720000000000000000000000000000000000000000000000000000000000000001000200090b000a020b0311000b010b020b04110002";
