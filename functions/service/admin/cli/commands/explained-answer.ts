import * as z from "zod";

const text = z.string();
const textOrNull = z.string().nullable().default(null);
const texts = z.array(text).default([]);

const abort = z.object({
  package: text,
  module: text,
  function: textOrNull,
  code: text,
  constant: textOrNull,
});

const sponsorship = z.object({
  digest: text,
  state: text,
  sender: text,
  keyId: text,
  gasBudget: text,
  fee: text,
  charged: textOrNull,
  rebate: textOrNull,
  maintenance: textOrNull,
  createdAt: text,
  signedAt: textOrNull,
  expiresAt: text,
  gasObjectId: textOrNull,
  gasPaidBy: textOrNull,
  targets: z.array(text).nullable().default(null),
  outcome: textOrNull,
  requestId: textOrNull,
  endpoint: textOrNull,
  ledgerPlace: textOrNull,
  executedAt: textOrNull,
  failure: textOrNull,
  abort: abort.nullable().default(null),
});

const refusal = z.object({
  at: text,
  requestId: textOrNull,
  keyId: text,
  sender: textOrNull,
  method: text,
  reason: text,
  rule: textOrNull,
  policy: textOrNull,
  targets: texts,
  gasBudget: textOrNull,
  digest: textOrNull,
  details: text,
});

const ledgerRow = z.object({
  at: text,
  kind: text,
  reference: text,
  keyId: textOrNull,
  balance: text,
  inFlight: text,
  accruedFees: text,
});

const execution = z.object({
  success: z.boolean(),
  failure: textOrNull,
  abort: abort.nullable().default(null),
  gas: z.record(text, text),
  ledgerPlace: textOrNull,
  at: textOrNull,
});

/**
 * The answer of the routes that explain a transaction. Its words are plain texts: a newer service may have more of them
 * than this clone knows.
 */
export const explainedAnswerSchema = z.object({
  cause: text,
  isOnlyOnChain: z.boolean(),
  stories: z.array(
    z.object({
      fundId: text,
      network: text,
      causes: texts,
      sponsorships: z.array(sponsorship),
      refusals: z.array(refusal),
      ledger: z.array(ledgerRow),
      revocations: z.array(z.object({ at: text, action: text, target: text })),
      isWhole: z.boolean(),
      chain: z.object({ endpoint: textOrNull, execution: execution.nullable() }).nullable(),
    }),
  ),
  fundsSearched: z.int(),
  isComplete: z.boolean(),
  unreadable: texts,
});
