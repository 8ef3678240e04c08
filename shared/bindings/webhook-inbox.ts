/** A message that a webhook has received. */
export interface InboxMessage {
  readonly id: string;
  /** SHA-256 of the body. Another body under the same id is a mistake of the sender. */
  readonly fingerprint: string;
}

/** The state of a message at the start of an attempt to handle it. */
export type InboxClaim =
  | { readonly state: "begun" }
  /** Another attempt is at work on it. Answer with a retryable error. */
  | { readonly state: "running" }
  /** An earlier attempt was answered with this JSON. */
  | { readonly state: "answered"; readonly answerJson: string }
  /** The id came with another body before. */
  | { readonly state: "conflict" }
  /** The inbox has no room for a new id. Answer with a retryable error. */
  | { readonly state: "full" };

/** The `WebhookInbox` object, as its callers see it. */
export interface WebhookInboxObject {
  /** Claims a message. After `begun` the caller does the work, then calls `finish` or `release`. */
  begin(input: InboxMessage): Promise<InboxClaim>;

  /** Stores the answer, which every repeat gets from now on. */
  finish(id: string, answerJson: string): Promise<void>;

  /** Ends a failed claim. The sender's next attempt starts the work again. */
  release(id: string): Promise<void>;
}
