import type { ChainContext } from "./context.ts";
import { transactionExpired, transactionRefused } from "./status.ts";
import { type DecodedTransaction, gasPrice, type TransactionData } from "./transaction.ts";

/** So many proposers may be named at the reference price; each further one must be paid for (SIP-45). */
const MAX_UNPAID_PROPOSERS = 3n;
/** Validators of this chain, as far as proposer sets are concerned. */
const COMMITTEE_SIZE = 4n;

type Expiration = TransactionData["expiration"];
type Window = NonNullable<Expiration["ValidDuring"]>;
type Proposers = NonNullable<NonNullable<Expiration["Validity"]>["allowedProposers"]>;

/** Refuses a transaction that is not valid in this epoch or on this chain (sui-types transaction.rs: `validity_check`). */
export function checkExpiration(transaction: DecodedTransaction, context: ChainContext): void {
  const { expiration } = transaction.data;
  switch (expiration.$kind) {
    case "None":
      return;
    case "Epoch":
      if (context.epoch > BigInt(expiration.Epoch)) throw transactionExpired();
      return;
    case "ValidDuring":
      checkWindow(expiration.ValidDuring, context);
      return;
    case "Validity": {
      const { allowedProposers } = expiration.Validity;
      // A set for another epoch names other validators: it is ignored.
      if (allowedProposers && BigInt(allowedProposers.epoch) === context.epoch) {
        checkProposers(allowedProposers, gasPrice(transaction), context.referenceGasPrice);
      }
      checkWindow(expiration.Validity, context);
      return;
    }
  }
}

function checkWindow(window: Omit<Window, "nonce">, { epoch, chainId }: ChainContext): void {
  if (window.minTimestamp !== null || window.maxTimestamp !== null) {
    throw transactionRefused("Feature is not supported: Timestamp-based transaction expiration is not yet supported");
  }
  if (window.chain !== chainId) {
    throw transactionRefused(`Transaction chain ID ${window.chain} does not match network chain ID ${chainId}`);
  }
  if (window.minEpoch !== null && epoch < BigInt(window.minEpoch)) throw transactionExpired();
  if (window.maxEpoch !== null && epoch > BigInt(window.maxEpoch)) throw transactionExpired();
}

function checkProposers({ proposers }: Proposers, price: bigint, referenceGasPrice: bigint): void {
  const paid = price / referenceGasPrice;
  const limit = smaller(paid > MAX_UNPAID_PROPOSERS ? paid : MAX_UNPAID_PROPOSERS, COMMITTEE_SIZE);
  if (BigInt(proposers.length) > limit) {
    throw invalidExpiration(`${proposers.length} allowed proposers, at most ${limit} permitted`);
  }
  const stranger = proposers.find((index) => BigInt(index) >= COMMITTEE_SIZE);
  if (stranger !== undefined) {
    throw invalidExpiration(`allowed proposer ${stranger} is outside a committee of ${COMMITTEE_SIZE}`);
  }
}

/**
 * Whether a transaction cannot come twice because validators remember what they executed for so long: it names one
 * epoch, or two that follow each other.
 */
export function isReplayProtected(expiration: Expiration): boolean {
  const window = expiration.ValidDuring ?? expiration.Validity;
  if (!window || window.minEpoch === null || window.maxEpoch === null) return false;
  const length = BigInt(window.maxEpoch) - BigInt(window.minEpoch);
  return length === 0n || length === 1n;
}

export function invalidExpiration(reason: string) {
  return transactionRefused(`Invalid transaction expiration: ${reason}`);
}

/** What `ValidDuring` a node fills in for a transaction that nothing else protects from being replayed. */
export function currentWindow({ epoch, chainId }: Pick<ChainContext, "epoch" | "chainId">): Window {
  return {
    minEpoch: String(epoch),
    maxEpoch: String(epoch + 1n),
    minTimestamp: null,
    maxTimestamp: null,
    chain: chainId,
    nonce: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
  };
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
