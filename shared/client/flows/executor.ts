import type { Result } from "../../result.ts";
import type { FlowError } from "./errors.ts";
import type { SuiSigner } from "./signers.ts";
import type { SuiTransaction } from "./sui.ts";
import type { SuiExecuted } from "./wire.ts";

/** The error that an executor throws. The SDKs' own executors throw, too. */
export class FlowFailure extends Error {
  override readonly name = "FlowFailure";
  readonly error: FlowError;

  constructor(error: FlowError) {
    super(`${error.code}: ${error.message}`);
    this.error = error;
  }
}

interface Executed<Success extends boolean> {
  readonly digest: string;
  readonly status: {
    readonly success: Success;
    readonly error: Success extends true ? null : { readonly message: string };
  };
}

/** A result in the form of `@mysten/sui` 2 and dapp-kit, whose apps look at `FailedTransaction` first. */
export type SuiExecutorResult =
  | { readonly $kind: "Transaction"; readonly Transaction: Executed<true>; readonly FailedTransaction?: never }
  | { readonly $kind: "FailedTransaction"; readonly Transaction?: never; readonly FailedTransaction: Executed<false> };

/** The methods that apps of `@mysten/sui` 2 and dapp-kit execute with. The fund pays instead of the signer. */
export interface SuiExecutor<Client> {
  /** Works as the method of the SDK's signers and of dapp-kit. @throws FlowFailure */
  signAndExecuteTransaction(input: {
    readonly transaction: SuiTransaction<Client>;
    readonly client?: Client;
    readonly signal?: AbortSignal;
  }): Promise<SuiExecutorResult>;
  /** Works as the method of `SerialTransactionExecutor`, one transaction after the other. @throws FlowFailure */
  executeTransaction(transaction: SuiTransaction<Client>): Promise<SuiExecutorResult>;
}

/** The part of the client that an executor needs. */
export interface SponsorsOnSui {
  sponsorAndExecute<Client>(
    transaction: SuiTransaction<Client>,
    signer: SuiSigner,
    settings: { readonly client?: Client; readonly signal?: AbortSignal },
  ): Promise<Result<SuiExecuted, FlowError>>;
}

/** Makes an executor. `client` resolves the objects of its transactions. */
export function suiExecutor<Client = never>(
  flows: SponsorsOnSui,
  signer: SuiSigner,
  { client }: { readonly client?: Client } = {},
): SuiExecutor<Client> {
  const signAndExecuteTransaction: SuiExecutor<Client>["signAndExecuteTransaction"] = async ({
    transaction,
    ...settings
  }) => {
    const resolving = client === undefined ? {} : { client };
    const executed = await flows.sponsorAndExecute(transaction, signer, { ...resolving, ...settings });
    if (!executed.ok) throw new FlowFailure(executed.error);
    const { digest, status } = executed.value;
    return status === "success"
      ? { $kind: "Transaction", Transaction: { digest, status: { success: true, error: null } } }
      : { $kind: "FailedTransaction", FailedTransaction: { digest, status: { success: false, error: ABORTED } } };
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    signAndExecuteTransaction,
    executeTransaction(transaction) {
      const next = last.then(() => signAndExecuteTransaction({ transaction }));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

const ABORTED = { message: "aborted on chain" };
