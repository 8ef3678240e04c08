import type { Result } from "../../result.ts";
import { fromBase64, toBase64 } from "./bytes.ts";
import { type FlowError, failed } from "./errors.ts";
import { type SignedTransaction, type SuiTarget, suiNetwork } from "./networks.ts";
import { askedParts, askedText, type EmbeddedPlan, type Named, type Plan, type Request } from "./plan.ts";
import { randomKey } from "./ports.ts";
import { type FlowCalls, readSuiExecuted, readSuiSponsored } from "./requests.ts";
import { askWallet, type SuiSigner } from "./signers.ts";
import { checkSui, isSuiOver, isUnchanged } from "./sui-check.ts";
import type { SuiExecuted, SuiSponsored } from "./wire.ts";

/** A `Transaction` of `@mysten/sui`, by its shape. */
export interface SuiTransaction<Client> {
  build(options: { onlyTransactionKind: boolean; client?: Client }): Promise<Uint8Array>;
  getData(): { readonly inputs: readonly unknown[]; readonly commands: readonly unknown[] };
  setSenderIfNotSet(sender: string): void;
}

/** Bounds of a transaction on Sui. */
export interface SuiBounds<Client> {
  /** The client that `Transaction.build` needs to resolve objects and coins. */
  readonly client?: Client;
  /** MIST. If absent, the service measures it. */
  readonly gasBudgetMist?: bigint;
  /** The largest accepted gas budget. If absent, 0.5 SUI. */
  readonly maxGasBudgetMist?: bigint;
  /** The largest accepted gas price. If absent, 50,000 MIST. */
  readonly maxGasPriceMist?: bigint;
  /** The current epoch, from a node. A transaction that outlives it for long is then refused. */
  readonly epoch?: bigint;
}

const MAX_BUDGET_MIST = 500_000_000n;
const MAX_PRICE_MIST = 50_000n;

/**
 * The name of each transaction, and its form at that time. A build resolves objects in place, and a repeat must have
 * the same name. The form is null during a build. A transaction that the app has extended since has another name.
 */
const names = new WeakMap<object, { readonly name: string; form: string | null }>();
/** A step that is a function. Its data do not show its content. */
const THUNK = "AsyncTransactionThunk";

/**
 * Names a transaction by its commands and inputs, as the app made them. If it has a thunk, names it by the object
 * alone.
 */
export function suiRequestName(transaction: Pick<SuiTransaction<never>, "getData">): string {
  const form = formOf(transaction);
  const known = names.get(transaction);
  if (known !== undefined && (known.form ?? form) === form) return known.name;
  const name = form.includes(THUNK) ? form + randomKey() : form;
  names.set(transaction, { name, form });
  return name;
}

function formOf(transaction: Pick<SuiTransaction<never>, "getData">): string {
  const { inputs, commands } = transaction.getData();
  return JSON.stringify([inputs, commands], (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

/** Plans a transaction that the user's own wallet signs. */
export function suiPlan<Client>(
  named: Named,
  transaction: SuiTransaction<Client>,
  { signer, sender }: { readonly signer: SuiSigner; readonly sender: string },
  target: SuiTarget,
  bounds: SuiBounds<Client>,
  calls: FlowCalls,
): Plan<SuiSponsored, SuiExecuted> {
  const { gasBudgetMist, maxGasBudgetMist = gasBudgetMist ?? MAX_BUDGET_MIST } = bounds;
  const { maxGasPriceMist = MAX_PRICE_MIST, epoch = null } = bounds;
  const request = requestOf(named, transaction, sender, bounds);
  return {
    ...request,
    build: async () => askedText(sender, await request.build()),
    async sponsor(asked, idempotencyKey, signal) {
      const { content: transactionKind } = askedParts(asked);
      const gasBudget = gasBudgetMist?.toString();
      return calls.sponsor({ transactionKind, sender, gasBudget }, { idempotencyKey, signal });
    },
    readSponsored: readSuiSponsored,
    check(sponsored, asked, used) {
      // An attempt that was signed earlier may have another signer than this call.
      const { sender, content } = askedParts(asked);
      const kind = fromBase64(content);
      if (kind === null) return "the kept attempt is damaged";
      const limits = { maxGasBudgetMist, maxGasPriceMist, epoch, used };
      return checkSui(sponsored, { kind, sender, ...suiNetwork(target), ...limits });
    },
    sign: (checked) => signSui(checked, signer),
    isOver: async (checked) => isSuiOver(checked, epoch) || (await target.isOver?.(checked)) === true,
    async execute({ sponsored, checked, signature }, idempotencyKey, signal) {
      const { txBytes, sponsorship } = sponsored;
      const reply = await calls.executeSponsored({ txBytes, signature, sponsorship }, { idempotencyKey, signal });
      const { id: digest } = checked;
      if (!reply.ok) return { ok: false, error: { ...reply.error, digest } };
      return reply.value.digest === digest
        ? reply
        : failed("unexpected_answer", "the answer is for another transaction", { mayHaveExecuted: true, digest });
    },
  };
}

/** Plans a transaction that the user's embedded wallet signs. */
export function suiEmbeddedPlan<Client>(
  named: Named,
  transaction: SuiTransaction<Client>,
  settings: Pick<SuiBounds<Client>, "client"> & { readonly sender?: string },
  calls: FlowCalls,
): EmbeddedPlan<SuiExecuted> {
  return {
    ...requestOf(named, transaction, settings.sender ?? null, settings),
    execute: (transactionKind, idempotencyKey, signal) =>
      calls.sponsorAndExecute({ chain: "sui", transactionKind }, { idempotencyKey, signal }),
  };
}

function requestOf<Client>(
  named: Named,
  transaction: SuiTransaction<Client>,
  sender: string | null,
  { client }: Pick<SuiBounds<Client>, "client">,
): Request<SuiExecuted> {
  return {
    ...named,
    async build() {
      if (sender !== null) transaction.setSenderIfNotSet(sender);
      const resolving = client === undefined ? {} : { client };
      const named = names.get(transaction);
      if (named !== undefined) named.form = null;
      try {
        return toBase64(await transaction.build({ onlyTransactionKind: true, ...resolving }));
      } finally {
        if (named !== undefined) named.form = formOf(transaction);
      }
    },
    readExecuted: readSuiExecuted,
    shorten: (executed) => ({ ...executed, effects: null }),
  };
}

async function signSui({ bytes }: SignedTransaction, signer: SuiSigner): Promise<Result<string, FlowError>> {
  const signed = await askWallet(() =>
    "toSuiAddress" in signer
      ? signer.signTransaction(bytes.slice())
      : signer.signTransaction({ transaction: toBase64(bytes) }),
  );
  if (!signed.ok) return signed;
  return isUnchanged(signed.value.bytes, bytes)
    ? { ok: true, value: signed.value.signature }
    : failed("wallet_changed_it", "the wallet signed another transaction");
}
