import {
  AccountAddress,
  ChainId,
  EntryFunction,
  generateSignedTransaction,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import { ApiError } from "./errors.ts";
import type { Genesis } from "./genesis.ts";
import type { Ledger } from "./ledger.ts";
import { accountAt } from "./move/account.ts";
import { CHAIN_ID } from "./prologue.ts";
import { addressOf, decodeSigned, type Signed } from "./signed.ts";
import type { Store } from "./store.ts";
import { waitUntil } from "./wait.ts";

const MAX_GAS_UNITS = 100_000n;
const GAS_PRICE_OCTAS = 100n;
const EXPIRATION_SECONDS = 3_600n;
const MAX_WAIT_MS = 60_000;

export type AptosFaucet = (address: string, octas: bigint) => Promise<{ hash: string }>;

/**
 * The faucet is an ordinary account that holds the whole supply; each payment is a signed transfer, answered when it is
 * committed. Several may be on their way, each with the next number.
 */
export function createFaucet({ faucet }: Genesis, store: Store, ledger: Ledger): AptosFaucet {
  const sender = addressOf(faucet.accountAddress);
  /** Numbers given away in this process; those of an earlier one are committed or waiting. */
  let next = 0n;
  let lastPayment: Promise<unknown> = Promise.resolve();

  function nextNumber(): bigint {
    const { version } = ledger.view();
    const account = accountAt({ get: (address, slot) => store.item(address, slot, version) }, sender);
    let free = account.sequenceNumber > next ? account.sequenceNumber : next;
    while (ledger.mempool.at(sender, free) !== undefined) free += 1n;
    return free;
  }

  function payment(address: string, octas: bigint): Signed {
    const raw = new RawTransaction(
      faucet.accountAddress,
      nextNumber(),
      new TransactionPayloadEntryFunction(
        EntryFunction.build("0x1::aptos_account", "transfer", [], [AccountAddress.from(address), new U64(octas)]),
      ),
      MAX_GAS_UNITS,
      GAS_PRICE_OCTAS,
      ledger.view().timestampUs / 1_000_000n + EXPIRATION_SECONDS,
      new ChainId(CHAIN_ID),
    );
    const transaction = new SimpleTransaction(raw);
    const senderAuthenticator = faucet.signTransactionWithAuthenticator(transaction);
    return decodeSigned(generateSignedTransaction({ transaction, senderAuthenticator }));
  }

  async function admit(address: string, octas: bigint): Promise<Signed> {
    await waitFor("there is no room for the faucet's payment yet", () => !ledger.mempool.isFullFor(sender));
    const signed = payment(address, octas);
    await ledger.submit(signed);
    next = signed.raw.sequence_number + 1n;
    return signed;
  }

  /** @throws ApiError when the ledger does not get there, which is when consensus is held for long. */
  async function waitFor(otherwise: string, isSo: () => boolean): Promise<void> {
    const isReached = await waitUntil(() => {
      ledger.view();
      return isSo();
    }, MAX_WAIT_MS);
    if (!isReached) throw new ApiError(503, "internal_error", otherwise);
  }

  return async (address, octas) => {
    // One after another, so that no two take the same number; they wait for their blocks together.
    const admission = lastPayment.then(() => admit(address, octas));
    lastPayment = admission.catch(() => undefined);
    const { hash } = await admission;
    await waitFor(
      `the faucet's payment ${hash} is not committed yet`,
      () => store.transactionByHash(hash) !== undefined,
    );
    return { hash };
  };
}
