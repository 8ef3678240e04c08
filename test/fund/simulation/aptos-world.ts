import { equalBytes } from "../../../shared/bytes.ts";
import type { TransactionPayload } from "../../../shared/chain/aptos/payload.ts";
import { encodeRawTransaction, type RawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import type { AptosFundStore } from "../../../shared/fund/aptos/store.ts";
import type { FundPolicy } from "../../../shared/policy/fund-policy.ts";
import { AptosModelChain, type AptosModelTransaction, CHAIN_ID } from "./aptos-model-chain.ts";
import type { VisibleAptosStore } from "./aptos-store-views.ts";
import { FaultyWorld, type Tally } from "./faulty-world.ts";
import { same } from "./same.ts";

export function addressOf(digit: string): string {
  return `0x${digit.repeat(64)}`;
}

export const FUND = addressOf("f");
export const SENDERS = [addressOf("a"), addressOf("b")] as const;
export const SECONDARY = addressOf("c");
export const KEYS = ["key_a", "key_b"] as const;
export const PRICE_OCTAS = 100n;
/** An hour before midnight, so that many simulations see a new day. */
const START_MS = 20 * 86_400_000 - 3_600_000;

export interface AptosSimulationTerms {
  readonly fundPolicy: FundPolicy;
  readonly keyPolicy: FundPolicy;
}

export interface Wanted {
  readonly sender: string;
  readonly sequenceNumber: bigint;
  /** Null or absent: its sequence number protects it. */
  readonly nonce?: bigint | null;
  readonly label: number;
  readonly maxGasUnits: bigint;
  readonly expirationSecs: bigint;
}

/** What a user wants done: differs with its label. */
export function rawOf(wanted: Wanted): { readonly raw: RawTransaction; readonly bytes: Uint8Array } {
  const { nonce = null } = wanted;
  const call = {
    $kind: "EntryFunction",
    EntryFunction: {
      module: { address: addressOf("d"), name: "game" },
      function: "play",
      typeArguments: [],
      arguments: [Uint8Array.of(wanted.label)],
    },
  } as const satisfies TransactionPayload;
  const extraConfig = { $kind: "V1", V1: { multisigAddress: null, replayProtectionNonce: nonce } } as const;
  const raw: RawTransaction = {
    sender: wanted.sender,
    sequenceNumber: wanted.sequenceNumber,
    payload:
      nonce === null ? call : { $kind: "Payload", Payload: { $kind: "V1", V1: { executable: call, extraConfig } } },
    maxGasAmount: wanted.maxGasUnits,
    gasUnitPriceOctas: PRICE_OCTAS,
    expirationTimestampSeconds: wanted.expirationSecs,
    chainId: CHAIN_ID,
  };
  return { raw, bytes: encodeRawTransaction(raw) };
}

/** A fund, its chain, and what the outside has of it. The steps of a simulation work through this, as the object's parts do. */
export class AptosWorld extends FaultyWorld<AptosFundStore, VisibleAptosStore> {
  readonly chain = new AptosModelChain(FUND, START_MS);
  readonly terms: AptosSimulationTerms;
  /** By id or hash: what a signature of the fund's may be out for, as its sender first signs it. */
  readonly released = new Map<string, AptosModelTransaction>();
  /** By id: whose signatures were kept first. */
  readonly kept = new Map<string, number>();
  feeOctas = 0n;

  constructor(view: VisibleAptosStore, terms: AptosSimulationTerms, tally: Tally) {
    super(view, KEYS, tally);
    this.terms = terms;
  }

  get nowMs(): number {
    return this.chain.nowMs;
  }

  /** From here on a signature of the fund may be anywhere. */
  release(reference: string, transaction: AptosModelTransaction): void {
    const row = this.view.store.sponsorship(reference);
    const stored =
      row === null ? this.view.store.treasuryTransaction(reference)?.signedTransaction : row.rawTransaction;
    const durable = stored !== undefined && equalBytes(stored, transaction.bytes);
    same(durable, true, `guarantee 2: ${reference} is signed, and its bytes are not stored`);
    if (!this.released.has(reference)) this.released.set(reference, transaction);
  }
}
