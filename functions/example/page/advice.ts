import type { FlowError } from "gasworks/flows";

/** A workflow's error, or its replacement if no answer came. */
export interface Failure {
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
}

/** Returns the failure in an error of the client. */
export function failureOf({ status, code, message }: FlowError): Failure {
  return { status: status ?? null, code, message };
}

interface Advice {
  readonly title: string;
  readonly whatToDo: string;
}

const BY_CODE: Readonly<Record<string, Advice>> = {
  unauthenticated: { title: "You are not signed in any more", whatToDo: "Sign in again: a token lasts 15 minutes." },
  origin_refused: {
    title: "This page may not call the workflows",
    whatToDo: "Open it at an address that FLOWS_ORIGINS names, or add this one there.",
  },
  policy_refused: {
    title: "The app does not sponsor this",
    whatToDo: "Nothing was signed or sent. What is sponsored is decided in functions/policy.ts.",
  },
  bad_request: {
    title: "The workflow did not understand this",
    whatToDo: "Nothing was sent. Change it and try again.",
  },
  transaction_failed: {
    title: "The chain would refuse this transaction",
    whatToDo: "Nothing was executed, and it costs nothing. Change it and try again.",
  },
  idempotency_conflict: { title: "This attempt was for something else", whatToDo: "Try again: it is a new attempt." },
  wallet_not_found: { title: "You have no wallet on this chain", whatToDo: "Make one first." },
  wallet_unavailable: {
    title: "Your wallet cannot be opened now",
    whatToDo: "It is not lost, and no other takes its place. The service's operator has to bring its record back.",
  },
  unknown_sponsorship: {
    title: "The fund knows nothing of this",
    whatToDo: "Try again. The page repeats what you have signed until the chain can no longer execute it.",
  },
  sponsorship_expired: {
    title: "This took too long",
    whatToDo: "Try again. The page repeats what you have signed until the chain can no longer execute it.",
  },
  rate_limited: { title: "Too many at once", whatToDo: "Wait a moment and try again." },
  user_cap_reached: {
    title: "You have had all that the app gives one user",
    whatToDo: "Nothing was sent. Try again tomorrow, or when what you have asked for is over.",
  },
  quota_reached: { title: "The app's limit is reached", whatToDo: "Try again when it starts afresh." },
  sequence_conflict: {
    title: "Another transaction is under way",
    whatToDo: "Wait until it is executed and try again.",
  },
  fund_unavailable: {
    title: "The fund cannot pay now",
    whatToDo: "Nothing was sent. Its operator has to deposit or to end its pause.",
  },
  not_configured: { title: "The app is not set up for this", whatToDo: "Its operator has to set what is named below." },
  node_unavailable: { title: "The chain cannot be reached now", whatToDo: "Nothing was sent. Try again in a moment." },
  key_service: {
    title: "The service cannot read its keys now",
    whatToDo: "Nothing was sent. Try again in a moment. If it stays so, its operator has to look at its health.",
  },
  outcome_unknown: {
    title: "Nobody knows yet how this ended",
    whatToDo: "Ask again: the same attempt is never executed twice.",
  },
  internal: {
    title: "Something broke on the way",
    whatToDo: "Ask again: the same attempt is never executed twice. The service's log has the fault.",
  },
  no_answer: {
    title: "No answer came",
    whatToDo: "The service, or a node behind it, is slow or away. Ask again: the same attempt is never executed twice.",
  },
  not_what_was_asked: {
    title: "This is not the transaction that was asked for",
    whatToDo: "It was not signed. Tell whoever runs the app.",
  },
};

const OTHERWISE: Advice = { title: "That did not work", whatToDo: "The details below tell more." };

/** Returns the meaning of a failure for the user, and the user's options. */
export function adviceOn({ code }: Failure): Advice {
  return Object.hasOwn(BY_CODE, code) ? (BY_CODE[code] ?? OTHERWISE) : OTHERWISE;
}
