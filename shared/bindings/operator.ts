/** The roles of operators, the mightiest first. Each may do everything that those after it may. */
export const operatorRoles = ["owner", "operator", "viewer"] as const;

/** The role of an operator. */
export type OperatorRole = (typeof operatorRoles)[number];

/** Somebody who calls the admin API. */
export interface Operator {
  /** The id of the token. Null for `ADMIN_TOKEN`. */
  readonly tokenId: string | null;
  readonly name: string;
  readonly role: OperatorRole;
}

/** The holder of `ADMIN_TOKEN`. */
export const OWNER: Operator = { tokenId: null, name: "ADMIN_TOKEN", role: "owner" };

/** The proof of a token, without the token. It shows whether the token is still the right one. */
export interface OperatorCredential {
  /** Null for `ADMIN_TOKEN`. */
  readonly tokenId: string | null;
  /** The SHA-256 of the token's secret. For `ADMIN_TOKEN`, of its text. */
  readonly secretHash: Uint8Array;
}

/** An operator, and the place from which a change came. */
export interface AuditActor {
  /** Null for `ADMIN_TOKEN`. */
  readonly tokenId: string | null;
  readonly name: string;
  /** The address as the platform reports it. Null if it reports none. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** A token for the admin API, without its secret. */
export interface OperatorToken {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly createdAtMs: number;
  /** The time from which on the token is refused. */
  readonly expiresAtMs: number;
}

/** A token that a creation has made, now or before. */
export interface CreatedOperatorToken extends OperatorToken {
  /** Present if an earlier request with this id made it. The secret of this request is not its own then. */
  readonly isRepeat?: true;
}

/** The reason why a repeated creation is refused: the first one named another token, or its token was deleted. */
export type RefusedRepeat = "other_body" | "deleted";

/** A token to make. Only the hash of its secret is ever stored. */
export interface NewOperatorToken extends Omit<OperatorToken, "createdAtMs"> {
  readonly secretHash: Uint8Array;
}
