/**
 * The fields of the explaining routes' answer that words need. Enumerated words are plain texts here, because a newer
 * service may answer an older command line.
 */
export interface ExplainedAnswer {
  readonly cause: string;
  readonly isOnlyOnChain: boolean;
  readonly stories: readonly AnsweredStory[];
  readonly fundsSearched: number;
  readonly isComplete: boolean;
  readonly unreadable: readonly string[];
}

/** The answer about one fund. */
export interface AnsweredStory {
  readonly fundId: string;
  readonly network: string;
  /** One sentence for each sponsorship, then one for each refusal. */
  readonly causes: readonly string[];
  readonly sponsorships: readonly AnsweredSponsorship[];
  readonly refusals: readonly AnsweredRefusal[];
  readonly ledger: readonly AnsweredLedgerRow[];
  readonly revocations: readonly { readonly at: string; readonly action: string; readonly target: string }[];
  readonly isWhole: boolean;
  readonly chain: AnsweredChain | null;
}

/** A sponsorship of the answer. Amounts are decimal strings of MIST or octas. */
export interface AnsweredSponsorship {
  readonly digest: string;
  readonly state: string;
  readonly sender: string;
  readonly keyId: string;
  readonly gasBudget: string;
  readonly fee: string;
  readonly charged: string | null;
  readonly rebate: string | null;
  readonly maintenance: string | null;
  readonly createdAt: string;
  readonly signedAt: string | null;
  readonly expiresAt: string;
  readonly gasObjectId: string | null;
  /** Null in the answer of an older service. */
  readonly gasPaidBy: string | null;
  readonly targets: readonly string[] | null;
  /** Its ending. Null while it is live, or if it is not stored. The fields below are as the fund stored them. */
  readonly outcome: string | null;
  readonly requestId: string | null;
  readonly endpoint: string | null;
  readonly ledgerPlace: string | null;
  readonly executedAt: string | null;
  readonly failure: string | null;
  readonly abort: AnsweredAbort | null;
}

/** The place of an abort of Move code. */
export interface AnsweredAbort {
  readonly package: string;
  readonly module: string;
  readonly function: string | null;
  readonly code: string;
  readonly constant: string | null;
}

/** A refused call of the answer. */
export interface AnsweredRefusal {
  readonly at: string;
  readonly requestId: string | null;
  readonly keyId: string;
  readonly sender: string | null;
  readonly method: string;
  readonly reason: string;
  readonly rule: string | null;
  readonly policy: string | null;
  readonly targets: readonly string[];
  readonly gasBudget: string | null;
  readonly digest: string | null;
  readonly details: string;
}

/** A change of the fund's money. */
export interface AnsweredLedgerRow {
  readonly at: string;
  readonly kind: string;
  readonly reference: string;
  readonly keyId: string | null;
  readonly balance: string;
  readonly inFlight: string;
  readonly accruedFees: string;
}

/** An execution as a node shows it now. */
export interface AnsweredExecution {
  readonly success: boolean;
  readonly failure: string | null;
  readonly abort: AnsweredAbort | null;
  readonly gas: Readonly<Record<string, string>>;
  readonly ledgerPlace: string | null;
  readonly at: string | null;
}

/** The present answer of a node. */
export interface AnsweredChain {
  readonly endpoint: string | null;
  readonly execution: AnsweredExecution | null;
}
