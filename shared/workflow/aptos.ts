import { createHash } from "node:crypto";
import type * as z from "zod";
import type { submitted } from "../api/aptos-gas.ts";
import { fromHex, toHex } from "../bytes.ts";
import { commandOf } from "../chain/aptos/commands.ts";
import { ORDERLESS_SEQUENCE_NUMBER, orderlessPayload } from "../chain/aptos/payload.ts";
import { decodeRawTransaction, encodeRawTransaction } from "../chain/aptos/raw-transaction.ts";
import type { AptosExecuted } from "../client/flows/wire.ts";
import { isRefused } from "../client/rpc-client.ts";
import { Deadline } from "../deadline.ts";
import type { AptosNetwork } from "../networks.ts";
import { judge, lowestGasBudgetCap } from "../policy/evaluate.ts";
import { sleep } from "../timing.ts";
import { buildPayload, decodePayload, type EncodedPayload, type Payload } from "./aptos-payload.ts";
import { noNodes, simulateBuilt } from "./aptos-simulate.ts";
import { type AptosEmbeddedWallet, aptosEmbeddedWallet } from "./embedded-wallet.ts";
import type { WorkflowOutcome } from "./errors.ts";
import { nodeFailed, policyRefused, type WorkflowResult, workflowFailureOf } from "./errors.ts";
import type { ExecutingContext, WorkflowContext } from "./handler.ts";
import { forgetOrderless, paysForOrderless } from "./orderless.ts";
import type { PinnedTransaction } from "./user/attempt.ts";

/**
 * The default limit is far above the cost of an app's call. A first transaction, which makes the account, needs 5,210
 * units.
 */
const DEFAULT_MAX_GAS_UNITS = 100_000n;
/** The lifetime by the chain's clock. A caller can repeat after a lost answer, but the fund is not bound for long. */
const VALID_SECONDS = 120n;
/** The same of an orderless transaction. The chain takes at most 60 seconds, and two clocks may differ by the rest. */
const ORDERLESS_SECONDS = 50n;
const MS_PER_SECOND = 1_000n;

/** While another transaction of the user is under way, its sequence number is taken. Chains need a second or two. */
const SEQUENCE_ATTEMPTS = 5;
const SEQUENCE_WAIT_MS = 700;

/**
 * Builds the transaction, signs it with the user's wallet, has the fund pay for it and submits it, once. It is orderless
 * if the app's access key may have such transactions sponsored. Then one user's attempts do not wait for each other.
 */
export async function executeWithEmbeddedWallet(
  payload: Payload,
  call: ExecutingContext<unknown>,
): Promise<WorkflowOutcome> {
  const wallet = aptosEmbeddedWallet(call);
  if (!wallet.ok) return wallet;
  const { client, walletId, inSession } = wallet.value;
  const { idempotencyKey } = call;
  const deadline = new Deadline();
  const attempt = () =>
    call.once({
      chain: "aptos",
      asked: { ...payload, max_gas_amount: payload.max_gas_amount?.toString() },
      buildTransaction: () => buildForWallet(payload, wallet.value, call, deadline),
      origin: "made",
      // A new transaction has another nonce or number, and the chain could execute both.
      keepsRefused: true,
      async execute(content) {
        const rawTransaction = fromHex(content);
        const executed = await inSession((sessionToken) =>
          client.executeGaslessTransaction({ walletId, sessionToken, rawTransaction }, { idempotencyKey }),
        );
        if (isRefused(executed, "unsupported_transaction")) forgetOrderless(wallet.value.access, call.deps);
        if (executed.ok) return pendingOnAptos(executed.value);
        const { error } = workflowFailureOf(executed.error, "aptos", {});
        return { ok: false, error: isRefused(executed, "node_refused") ? { ...error, retryable: true } : error };
      },
    });
  let outcome = await attempt();
  for (let again = 1; again < SEQUENCE_ATTEMPTS && isSequenceTaken(outcome); again++) {
    await sleep(SEQUENCE_WAIT_MS);
    outcome = await attempt();
  }
  return outcome;
}

/** Answers for a transaction that a node has taken. The chain executes it within a second or two. */
export function pendingOnAptos({ pendingTransaction }: z.output<typeof submitted>): WorkflowOutcome {
  const answer: AptosExecuted = { hash: pendingTransaction.hash, status: "pending", pendingTransaction };
  return { ok: true, value: answer };
}

function isSequenceTaken(outcome: WorkflowOutcome): boolean {
  return !outcome.ok && outcome.error.code === "sequence_conflict";
}

async function buildForWallet(
  payload: Payload,
  { access, address }: AptosEmbeddedWallet,
  call: WorkflowContext<unknown>,
  deadline: Deadline,
): Promise<WorkflowResult<PinnedTransaction>> {
  const [sender, isOrderless] = await Promise.all([address(), paysForOrderless(access, call.deps)]);
  if (!sender.ok) return sender;
  const sinceMs = call.deps.clock.nowMs() - Number(VALID_SECONDS * MS_PER_SECOND);
  const isUnderWay = async (sequenceNumber: bigint) =>
    (await call.executedSince("aptos", sinceMs)).some((content) => {
      const other = decodeRawTransaction(fromHex(content));
      return other.ok && other.value.sender === sender.value && other.value.sequenceNumber >= sequenceNumber;
    });
  const { network } = access;
  const terms = { action: "execute", network, sender: sender.value, isOrderless, isUnderWay, deadline } as const;
  const built = await buildTransaction(payload, terms, call);
  return built.ok ? { ok: true, value: pinAptosTransaction(built.value) } : built;
}

/** Returns a transaction in the form in which an attempt keeps it. */
export function pinAptosTransaction({
  rawTransaction,
  gasBudgetAtoms,
}: Pick<BuiltTransaction, "rawTransaction" | "gasBudgetAtoms">): PinnedTransaction {
  const id = createHash("sha256").update(rawTransaction).digest("hex");
  return { id, content: toHex(rawTransaction), capUsage: { chain: "aptos", gasBudgetAtoms } };
}

/** A transaction that a workflow has built for an embedded wallet. */
export interface BuiltTransaction {
  readonly rawTransaction: Uint8Array;
  /** Octas: units times price. */
  readonly gasBudgetAtoms: bigint;
  readonly expiresAtMs: number;
}

interface BuildFor {
  readonly action: "sponsor" | "execute";
  readonly network: AptosNetwork;
  readonly sender: string;
  /** True to protect the transaction by a nonce, in the place of the sender's sequence number. */
  readonly isOrderless?: boolean;
  /** Returns whether another transaction of the sender may be executed before the one with this sequence number. */
  readonly isUnderWay?: (sequenceNumber: bigint) => Promise<boolean>;
  /** The deadline of all calls to nodes. If it is absent, a new one begins. */
  readonly deadline?: Deadline;
}

/**
 * Builds a transaction. It has the app's policy judge the call first, and then the call with its highest cost. Between
 * the two, it simulates the transaction. A transaction that would abort is refused, and costs nothing. The fund holds
 * nothing for it.
 */
export async function buildTransaction(
  payload: Payload | EncodedPayload,
  { action, network, sender, isOrderless = false, isUnderWay = async () => false, deadline = new Deadline() }: BuildFor,
  { policy, user, deps }: Pick<WorkflowContext<unknown>, "policy" | "user" | "deps">,
): Promise<WorkflowResult<BuiltTransaction>> {
  if (deps.config.nodes[network].length === 0) return noNodes(network);
  const node = deps.aptosNode(network).within(deadline);
  const built = "payloadBytes" in payload ? decodePayload(payload.payloadBytes) : await buildPayload(payload, node);
  if (!built.ok) return built;
  const commands = [commandOf(built.value)];
  const request = { user, action, chain: "aptos", network, sender, commands } as const;
  const first = judge(policy, { ...request, gas: { budgetAtoms: null, payer: "fund" } });
  if (!first.allowed) return policyRefused(first);
  const [account, price] = await Promise.all([node.account(sender), node.estimateGasPrice()]);
  if (!account.ok) return nodeFailed(account.error);
  if (!price.ok) return nodeFailed(price.error);

  // All other transactions of the sender may be executed before an orderless one.
  const firstOther = isOrderless ? 0n : account.value.value.sequenceNumber;
  const { chain, timestampMs } = account.value;
  const gasUnitPriceOctas = price.value;
  const maxGasAmount =
    payload.max_gas_amount ?? affordableUnits(lowestGasBudgetCap(policy, "aptos"), gasUnitPriceOctas);
  const gasBudgetAtoms = maxGasAmount * gasUnitPriceOctas;
  const validSeconds = isOrderless ? ORDERLESS_SECONDS : VALID_SECONDS;
  const expirationTimestampSeconds = BigInt(timestampMs) / MS_PER_SECOND + validSeconds;
  const rawTransaction = encodeRawTransaction({
    sender,
    ...(isOrderless
      ? { sequenceNumber: ORDERLESS_SEQUENCE_NUMBER, payload: orderlessPayload(built.value) }
      : { sequenceNumber: account.value.value.sequenceNumber, payload: built.value }),
    maxGasAmount,
    gasUnitPriceOctas,
    expirationTimestampSeconds,
    chainId: chain,
  });
  const simulated = await simulateBuilt(rawTransaction, node, () => isUnderWay(firstOther));
  if (!simulated.ok) return simulated;
  const gasUsedAtoms = simulated.value.gasUsedUnits * gasUnitPriceOctas;
  const simulation = { gasUsedAtoms, balanceChanges: null };
  const second = judge(policy, { ...request, gas: { budgetAtoms: gasBudgetAtoms, payer: "fund" }, simulation });
  if (!second.allowed) return policyRefused(second);
  const expiresAtMs = Number(expirationTimestampSeconds * MS_PER_SECOND);
  return { ok: true, value: { rawTransaction, gasBudgetAtoms, expiresAtMs } };
}

/** Returns the units that the policy lets one transaction cost, at most the default. */
function affordableUnits(capOctas: bigint | null, gasUnitPriceOctas: bigint): bigint {
  const units = capOctas === null ? DEFAULT_MAX_GAS_UNITS : capOctas / gasUnitPriceOctas;
  return units < DEFAULT_MAX_GAS_UNITS ? units : DEFAULT_MAX_GAS_UNITS;
}
