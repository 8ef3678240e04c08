import { createHash } from "node:crypto";
import * as z from "zod";
import { u64Input } from "../amounts.ts";
import type { submitted } from "../api/aptos-gas.ts";
import { fromHex, toHex } from "../bytes.ts";
import { parseAddress } from "../chain/aptos/address.ts";
import { commandOf } from "../chain/aptos/commands.ts";
import { MAX_NESTING } from "../chain/aptos/entry-argument.ts";
import { type EntryCall, entryCallPayload, nestsTooDeeply } from "../chain/aptos/entry-call.ts";
import { MAX_GAS_UNITS, MIN_GAS_UNITS } from "../chain/aptos/limits.ts";
import type { AptosNode } from "../chain/aptos/node.ts";
import type { TransactionPayload } from "../chain/aptos/payload.ts";
import { decodeRawTransaction, encodeRawTransaction } from "../chain/aptos/raw-transaction.ts";
import { Deadline } from "../deadline.ts";
import type { AptosNetwork } from "../networks.ts";
import { judge, lowestGasBudgetCap } from "../policy/evaluate.ts";
import { sleep } from "../timing.ts";
import { noNodes, simulateBuilt } from "./aptos-simulate.ts";
import { type AptosEmbeddedWallet, aptosEmbeddedWallet } from "./embedded-wallet.ts";
import type { WorkflowOutcome } from "./errors.ts";
import { nodeFailed, policyRefused, type WorkflowResult, workflowFailed, workflowFailureOf } from "./errors.ts";
import type { ExecutingContext, WorkflowContext } from "./handler.ts";
import type { PinnedTransaction } from "./user/attempt.ts";

const MAX_FUNCTION_CHARACTERS = 600;
const MAX_TYPE_CHARACTERS = 1_000;
const MAX_TYPE_ARGUMENTS = 32;
const MAX_ARGUMENTS = 255;

const FUNCTION = /^(0x[0-9a-fA-F]{1,64})::([a-zA-Z_$][a-zA-Z0-9_$]*)::([a-zA-Z_$][a-zA-Z0-9_$]*)$/;
const NOT_A_FUNCTION = "must be 0x…::module::function";

/**
 * An entry function payload as nodes write it. Omitted fields are empty. The address is in full length after parsing.
 */
export const aptosPayload = z.strictObject({
  type: z.literal("entry_function_payload").optional(),
  function: z
    .string(NOT_A_FUNCTION)
    .max(MAX_FUNCTION_CHARACTERS, NOT_A_FUNCTION)
    .transform((text, context) => {
      const [, written = "", module, name] = FUNCTION.exec(text) ?? [];
      const address = parseAddress(written);
      if (address !== null) return { address, module: module ?? "", name: name ?? "" };
      context.addIssue(NOT_A_FUNCTION);
      return z.NEVER;
    }),
  type_arguments: z.array(z.string().max(MAX_TYPE_CHARACTERS)).max(MAX_TYPE_ARGUMENTS).default([]),
  arguments: z
    .array(z.unknown().refine((argument) => !nestsTooDeeply(argument), `must not be nested deeper than ${MAX_NESTING}`))
    .max(MAX_ARGUMENTS)
    .default([]),
  max_gas_amount: u64Input
    .refine((units) => units >= MIN_GAS_UNITS && units <= MAX_GAS_UNITS, `must be ${MIN_GAS_UNITS} to ${MAX_GAS_UNITS}`)
    .optional(),
});

/** A call of an entry function, as a front end names it. */
export type Payload = z.output<typeof aptosPayload>;

/**
 * The default limit is far above the cost of an app's call. A first transaction, which makes the account, needs 5,210
 * units.
 */
const DEFAULT_MAX_GAS_UNITS = 100_000n;
/** The lifetime by the chain's clock. A caller can repeat after a lost answer, but the fund is not bound for long. */
const VALID_SECONDS = 120n;
const MS_PER_SECOND = 1_000n;

/** While another transaction of the user is under way, its sequence number is taken. Chains need a second or two. */
const SEQUENCE_ATTEMPTS = 5;
const SEQUENCE_WAIT_MS = 700;

/** Builds the transaction, signs it with the user's wallet, has the fund pay for it and submits it, once. */
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
      async execute(content) {
        const rawTransaction = fromHex(content);
        const executed = await inSession((sessionToken) =>
          client.executeGaslessTransaction({ walletId, sessionToken, rawTransaction }, { idempotencyKey }),
        );
        return executed.ok ? pendingOnAptos(executed.value) : workflowFailureOf(executed.error, "aptos", {});
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
  return { ok: true, value: { hash: pendingTransaction.hash, status: "pending", pendingTransaction } };
}

function isSequenceTaken(outcome: WorkflowOutcome): boolean {
  return !outcome.ok && outcome.error.code === "sequence_conflict";
}

async function buildForWallet(
  payload: Payload,
  { access: { network }, address }: AptosEmbeddedWallet,
  call: WorkflowContext<unknown>,
  deadline: Deadline,
): Promise<WorkflowResult<PinnedTransaction>> {
  const sender = await address();
  if (!sender.ok) return sender;
  const sinceMs = call.deps.clock.nowMs() - Number(VALID_SECONDS * MS_PER_SECOND);
  const isUnderWay = async (sequenceNumber: bigint) =>
    (await call.executedSince("aptos", sinceMs)).some((content) => {
      const other = decodeRawTransaction(fromHex(content));
      return other.ok && other.value.sender === sender.value && other.value.sequenceNumber >= sequenceNumber;
    });
  const terms = { action: "execute", network, sender: sender.value, isUnderWay, deadline } as const;
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
  payload: Payload,
  { action, network, sender, isUnderWay = async () => false, deadline = new Deadline() }: BuildFor,
  { policy, user, deps }: Pick<WorkflowContext<unknown>, "policy" | "user" | "deps">,
): Promise<WorkflowResult<BuiltTransaction>> {
  const { function: target } = payload;
  const moveTarget = `${target.address}::${target.module}::${target.name}`;
  if (deps.config.nodes[network].length === 0) return noNodes(network);
  const node = deps.aptosNode(network).within(deadline);
  const call = { function: moveTarget, typeArguments: payload.type_arguments, arguments: payload.arguments };
  const built = await buildPayload(call, target, node);
  if (!built.ok) return built;
  const commands = [commandOf(built.value)];
  const request = { user, action, chain: "aptos", network, sender, commands } as const;
  const first = judge(policy, { ...request, gas: { budgetAtoms: null, payer: "fund" } });
  if (!first.allowed) return policyRefused(first);
  const [account, price] = await Promise.all([node.account(sender), node.estimateGasPrice()]);
  if (!account.ok) return nodeFailed(account.error);
  if (!price.ok) return nodeFailed(price.error);

  const { sequenceNumber } = account.value.value;
  const { chain, timestampMs } = account.value;
  const gasUnitPriceOctas = price.value;
  const maxGasAmount =
    payload.max_gas_amount ?? affordableUnits(lowestGasBudgetCap(policy, "aptos"), gasUnitPriceOctas);
  const gasBudgetAtoms = maxGasAmount * gasUnitPriceOctas;
  const expirationTimestampSeconds = BigInt(timestampMs) / MS_PER_SECOND + VALID_SECONDS;
  const rawTransaction = encodeRawTransaction({
    sender,
    sequenceNumber,
    payload: built.value,
    maxGasAmount,
    gasUnitPriceOctas,
    expirationTimestampSeconds,
    chainId: chain,
  });
  const simulated = await simulateBuilt(rawTransaction, node, () => isUnderWay(sequenceNumber));
  if (!simulated.ok) return simulated;
  const gasUsedAtoms = simulated.value.gasUsedUnits * gasUnitPriceOctas;
  const simulation = { gasUsedAtoms, balanceChanges: null };
  const second = judge(policy, { ...request, gas: { budgetAtoms: gasBudgetAtoms, payer: "fund" }, simulation });
  if (!second.allowed) return policyRefused(second);
  const expiresAtMs = Number(expirationTimestampSeconds * MS_PER_SECOND);
  return { ok: true, value: { rawTransaction, gasBudgetAtoms, expiresAtMs } };
}

async function buildPayload(
  call: EntryCall,
  { address, module, name }: Payload["function"],
  node: AptosNode,
): Promise<WorkflowResult<TransactionPayload>> {
  const abi = await node.functionAbi(address, module, name);
  if (!abi.ok) return nodeFailed(abi.error);
  if (abi.value === null)
    return workflowFailed(
      400,
      "bad_request",
      `payload.function: the chain has no ${call.function}: check its address, module and name`,
    );
  const built = entryCallPayload(call, abi.value);
  return built.ok ? built : workflowFailed(400, "bad_request", `payload.${built.error.details}`);
}

/** Returns the units that the policy lets one transaction cost, at most the default. */
function affordableUnits(capOctas: bigint | null, gasUnitPriceOctas: bigint): bigint {
  const units = capOctas === null ? DEFAULT_MAX_GAS_UNITS : capOctas / gasUnitPriceOctas;
  return units < DEFAULT_MAX_GAS_UNITS ? units : DEFAULT_MAX_GAS_UNITS;
}
