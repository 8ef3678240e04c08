export interface InboxMessage {
  readonly id: string;
  /** Of the body: another one under the same id is a mistake of the sender's. */
  readonly fingerprint: string;
}

export type InboxClaim =
  | { readonly state: "begun" }
  /** It is under way. */
  | { readonly state: "in_progress" }
  /** It has been answered before, with this JSON. */
  | { readonly state: "answered"; readonly answerJson: string }
  /** The id came with another body before. */
  | { readonly state: "conflict" };

/** The `WebhookInbox` object, as its callers see it. */
export interface WebhookInboxObject {
  /** Whoever hears `begun` is the one to do the work, and has to tell how it ended. */
  begin(input: InboxMessage): Promise<InboxClaim>;

  /** It is done: from now on every repeat gets this answer. */
  finish(id: string, answerJson: string): Promise<void>;

  /** It has failed: the sender's next attempt starts it again. */
  release(id: string): Promise<void>;
}
