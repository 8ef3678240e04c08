import type { Env } from "../../shared/bindings/env.ts";
import type { Operator, OperatorCredential } from "../../shared/bindings/operator.ts";
import type { Clock, Log } from "../../shared/bindings/ports.ts";
import type { Config } from "../../shared/config/config.ts";
import type { Problem } from "../../shared/http/problem.ts";
import type { Answer } from "../service/admin/route/route.ts";

/** The values of a call of the admin API. Each has the form that the API's own schema checks. */
export interface CallInput {
  readonly id?: string;
  readonly partId?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string | null;
}

/** The operator of a call and its request, for roles and for the audit log. */
export interface Caller {
  readonly env: Env;
  readonly operator: Operator;
  readonly headers: Headers;
}

/** The functions of the service that the dashboard uses. All rules are there. */
export interface DashboardGround {
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<Config, "region" | "withdrawAddresses" | "nodes">;
  randomBytes(length: number): Uint8Array;
  /** Null if this service has not issued a token of this form. */
  credentialOf(token: string): OperatorCredential | null;
  /** Returns the present holder of a credential. Null if it was deleted or has ended. */
  holderOf(env: Env, credential: OperatorCredential): Promise<Operator | null>;
  /** Counts a wrong token, together with those of the API. @returns the milliseconds to wait. */
  countWrong(env: Env, source: string): Promise<number>;
  /** Reads the current master key, before something is used up for a session. @throws if it could not be read. */
  requireMasterKey(): Promise<void>;
  /** Seals a session under the current master key. */
  seal(session: Uint8Array): Promise<Uint8Array>;
  /** Null if this service has not sealed the bytes as a session. @throws if the master key could not be read. */
  open(sealed: Uint8Array): Promise<Uint8Array | null>;
  /** Returns the SHA-256 of a text, in base64url. */
  hash(text: string): string;
  /** Compares a text with a secret one, in a time that shows nothing of it. */
  equalTexts(text: string, secret: string): boolean;
  sourceOf(headers: Headers): string;
  bearerOf(headers: Headers): string | null;
  isFromPage(headers: Headers): boolean;
  /** Null if the body is too long. @throws if it is no text. */
  readText(request: Request, maxBytes: number): Promise<string | null>;
  problemOfFault(error: unknown, method: string): Problem;
  /** Returns whether a role reaches a route, by the table of the admin API. */
  mayCall(operator: Operator, name: string): boolean;
  /** Returns whether a role may send a field of a route, by the same table. */
  maySend(operator: Operator, name: string, field: string): boolean;
  /** Calls a route of the admin API. @throws a fault. */
  call(caller: Caller, name: string, input: CallInput): Promise<Answer<unknown>>;
}
