import { bcs, type InferBcsType } from "@mysten/bcs";
import { address, bytes, excludingVariants, fixedBytes, u64, u128, u256, vectorOf } from "./bcs.ts";
import { identifier, moduleId, typeTag } from "./type-tag.ts";

/**
 * The payload that a transaction runs. Variants are in the order of aptos-core:
 * `types/src/transaction/{mod,script,multisig}.rs`, and `testsuite/generate-format/tests/staged/api.yaml`, which its
 * own tests compare with the code.
 */

/** move-core-types, `transaction_argument.rs`. Signed integers stay in two's complement, little-endian. */
const scriptArgument = bcs.enum("TransactionArgument", {
  U8: bcs.u8(),
  U64: u64,
  U128: u128,
  Address: address,
  U8Vector: bytes,
  Bool: bcs.bool(),
  U16: bcs.u16(),
  U32: bcs.u32(),
  U256: u256,
  Serialized: bytes,
  I8: fixedBytes(1),
  I16: fixedBytes(2),
  I32: fixedBytes(4),
  I64: fixedBytes(8),
  I128: fixedBytes(16),
  I256: fixedBytes(32),
});

const script = bcs.struct("Script", {
  code: bytes,
  typeArguments: vectorOf(typeTag),
  arguments: vectorOf(scriptArgument),
});

/** Each argument is the BCS of its value. Only the function knows its type. */
const entryFunction = bcs.struct("EntryFunction", {
  module: moduleId,
  function: identifier,
  typeArguments: vectorOf(typeTag),
  arguments: vectorOf(bytes),
});

/**
 * An owner of an on-chain multisig account executes a transaction that the others approved. Without a payload, it is
 * the one stored on chain.
 */
const multisig = bcs.struct("Multisig", {
  multisigAddress: address,
  payload: bcs.option(bcs.enum("MultisigTransactionPayload", { EntryFunction: entryFunction, Script: script })),
});

/** `Empty` is a multisig transaction whose payload is stored on chain. */
const executable = excludingVariants(
  bcs.enum("TransactionExecutable", { Script: script, EntryFunction: entryFunction, Empty: null, Encrypted: null }),
  { Encrypted: "encrypted payloads are not supported: send a plain one" },
);

const multipliers = bcs.enum("RequestedMultipliers", {
  V1: bcs.struct("RequestedMultipliersV1", { execution: u64, io: u64 }),
});

/** AIP-146: limits above the ordinary ones, against a proof of stake and ten times the minimum gas price. */
const limitsRequest = bcs.enum("UserTxnLimitsRequest", {
  StakePoolOwner: bcs.struct("StakePoolOwner", { multipliers }),
  DelegatedVoter: bcs.struct("DelegatedVoter", { poolAddress: address, multipliers }),
  DelegationPoolDelegator: bcs.struct("DelegationPoolDelegator", { poolAddress: address, multipliers }),
});

/** A nonce makes the transaction orderless (AIP-123). No sequence number keeps it from being executed out of turn. */
const extraConfigV1 = { multisigAddress: bcs.option(address), replayProtectionNonce: bcs.option(u64) };
const extraConfig = bcs.enum("TransactionExtraConfig", {
  V1: bcs.struct("TransactionExtraConfigV1", extraConfigV1),
  V2: bcs.struct("TransactionExtraConfigV2", { ...extraConfigV1, limitsRequest: bcs.option(limitsRequest) }),
});

const innerPayload = bcs.enum("TransactionPayloadInner", {
  V1: bcs.struct("TransactionPayloadInnerV1", { executable, extraConfig }),
});

/** The BCS codec of a payload. It refuses module bundles and encrypted payloads as `unsupported_transaction`. */
export const transactionPayload = excludingVariants(
  bcs.enum("TransactionPayload", {
    Script: script,
    ModuleBundle: null,
    EntryFunction: entryFunction,
    Multisig: multisig,
    Payload: innerPayload,
    EncryptedPayload: null,
  }),
  {
    ModuleBundle: "module bundles are no longer executed by the chain: call 0x1::code",
    EncryptedPayload: "encrypted payloads are not supported: send a plain one",
  },
);

/** A decoded call of an entry function. */
export type EntryFunction = InferBcsType<typeof entryFunction>;
/** A decoded script: bytecode and its arguments. */
export type Script = InferBcsType<typeof script>;
/** A decoded payload of any kind that is supported. */
export type TransactionPayload = InferBcsType<typeof transactionPayload>;

/** The properties of a payload that a policy or a sponsor decides by. */
export interface PayloadTraits {
  /**
   * `0x…::module::function`, the address in full length. Null for a script, and for a payload that is stored on chain.
   */
  readonly moveTarget: string | null;
  /** True if it contains bytecode, which may call any public function. */
  readonly isScript: boolean;
  /** True if it acts for an on-chain multisig account that the sender co-owns. */
  readonly isMultisig: boolean;
  /** The nonce of an orderless transaction (AIP-123). Null if the sequence number protects against a replay. */
  readonly nonce: bigint | null;
  /**
   * True if it requests higher limits (AIP-146). They cost ten times the minimum gas price and a proof of the fee
   * payer's stake.
   */
  readonly asksHigherLimits: boolean;
}

/** The sequence number of an orderless transaction, as the chain's own tools write it. The chain does not read it. */
export const ORDERLESS_SEQUENCE_NUMBER = 2n ** 64n - 1n;

/**
 * Converts the call of an entry function or a script to a payload that a random nonce protects. Returns others
 * unchanged.
 */
export function orderlessPayload(payload: TransactionPayload): TransactionPayload {
  if (payload.$kind !== "EntryFunction" && payload.$kind !== "Script") return payload;
  const [replayProtectionNonce = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  const extraConfig = { $kind: "V1", V1: { multisigAddress: null, replayProtectionNonce } } as const;
  return { $kind: "Payload", Payload: { $kind: "V1", V1: { executable: payload, extraConfig } } };
}

/** Names the function of a call: `0x…::module::function`, the address in full length. */
export function moveTargetOf({ module, function: name }: EntryFunction): string {
  return `${module.address}::${module.name}::${name}`;
}

type Executable = { readonly EntryFunction?: EntryFunction | undefined; readonly Script?: unknown };

function traitsOf(executable: Executable | null): PayloadTraits {
  const entry = executable?.EntryFunction;
  return {
    moveTarget: entry === undefined ? null : moveTargetOf(entry),
    isScript: executable?.Script !== undefined,
    isMultisig: false,
    nonce: null,
    asksHigherLimits: false,
  };
}

/** Reads the properties of a payload that a policy or a sponsor decides by. */
export function payloadTraits(payload: TransactionPayload): PayloadTraits {
  switch (payload.$kind) {
    case "Script":
    case "EntryFunction":
      return traitsOf(payload);
    case "Multisig":
      return { ...traitsOf(payload.Multisig.payload), isMultisig: true };
    case "Payload": {
      const { executable, extraConfig } = payload.Payload.V1;
      const { multisigAddress, replayProtectionNonce } = extraConfig.V1 ?? extraConfig.V2;
      return {
        ...traitsOf(executable),
        isMultisig: multisigAddress !== null,
        nonce: replayProtectionNonce,
        asksHigherLimits: (extraConfig.V2?.limitsRequest ?? null) !== null,
      };
    }
  }
}
