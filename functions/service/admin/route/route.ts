import * as z from "zod";
import type { Deps } from "../../../../shared/bindings/deps.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import type { AuditActor } from "../../../../shared/bindings/operator.ts";
import type { Refusal } from "../../../../shared/errors.ts";
import type { FieldError, Problem, ProblemStatus } from "../../../../shared/http/problem.ts";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY } from "../../../../shared/idempotency.ts";
import type { Result } from "../../../../shared/result.ts";

/** The result of a route: its value, or a problem document. */
export type Answer<T> = Result<T, Problem>;

/** Returns an answer that succeeds. */
export function answer<T>(value: T): Answer<T> {
  return { ok: true, value };
}

/** Returns an answer that refuses with a problem document. */
export function problem(status: ProblemStatus, detail: string, errors?: readonly FieldError[]): Answer<never> {
  return { ok: false, error: errors ? { status, detail, errors } : { status, detail } };
}

/** Refuses with 404, because the named thing does not exist. */
export function notFound(what: string): Answer<never> {
  return problem(404, `no such ${what}: check the id`);
}

const RETRY_AFTER_SECONDS = 5;

/** Translates a refusal of an object for the operator. */
export function problemFor({ reason, details }: Refusal): Answer<never> {
  switch (reason) {
    // Another withdrawal is under way on Aptos, which orders transactions by sequence numbers.
    case "sequence_conflict":
    case "node_unavailable":
    case "no_gas_object":
    case "overloaded":
    case "storage":
    case "storage_budget":
    case "key_service":
      return { ok: false, error: { status: 503, detail: details, retryAfterSeconds: RETRY_AFTER_SECONDS } };
    case "idempotency_conflict":
    case "recovery_unconfirmed":
    case "project_moved":
      return problem(409, details);
    default:
      return problem(422, details);
  }
}

/** The schemas of routes that read no body and take no query. */
export const noBody = z.undefined();
/** Accepts no query. */
export const noQuery = z.strictObject({});

/** A thing that a path names by its id. */
export interface Resource {
  readonly name: string;
  readonly idSchema: z.ZodString;
}

/** A request whose id, body and query have the shape of the route's schemas. */
export interface AdminRequest<Body, Query> {
  readonly env: Env;
  readonly deps: Deps;
  /** The caller and the origin of the call, for the audit row of a change. */
  readonly actor: AuditActor;
  /** The path's id, of the right form. Empty if the path has none. */
  readonly id: string;
  /** The id of the thing within that one, of the right form. Empty if the path has none. */
  readonly partId: string;
  readonly body: Body;
  readonly query: Query;
  /** Whether the page is one of a whole list, which is read in large pages. */
  readonly ofWholeList: boolean;
  /** The body as JSON, before its schema filled in defaults. A later version may fill in others. */
  readonly sentBody: unknown;
  /** The key as sent. It has the right form if the route honours it. Null if none was sent. */
  readonly idempotencyKey: string | null;
}

interface Definition<Body extends z.ZodType, Query extends z.ZodObject, Result extends z.ZodType> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  /** The resource of `:id` in the path. Null without an id. */
  readonly resource: Resource | null;
  /** The resource of `:partId` in the path, which has no object of its own. */
  readonly part?: Resource;
  readonly body: Body;
  readonly query: Query;
  readonly result: Result;
  readonly status: 200 | 201 | 202;
  /**
   * `honoured`: the route honours the header `Idempotency-Key`. `required`: it also requires the header. The other
   * routes ignore it.
   */
  readonly idempotent?: "honoured" | "required";
  /** The limit of the body. If absent, the limit of all routes applies. */
  readonly maxBodyBytes?: number;
  handle(call: AdminRequest<z.output<Body>, z.output<Query>>): Promise<Answer<z.input<Result>>>;
}

/** One row of the table from which the app and its OpenAPI document are made. */
export interface Route extends Omit<Definition<z.ZodType, z.ZodObject, z.ZodType>, "handle"> {
  /** The columns of a list as CSV. Null if the answer is no list. */
  readonly columns: readonly string[] | null;
  /** Whether a table without `limit` and `cursor` is the whole list. Otherwise it is a page. */
  readonly isStreamed: boolean;
  /** The form of an answer that is no JSON: its media types, and the function that writes it. Absent for JSON. */
  readonly text?: { readonly types: readonly string[]; write(value: unknown, headers: Headers): Response };
  /** Parses the request, and handles it only if all of it fits. */
  respond(call: AdminRequest<unknown, unknown>): Promise<Answer<unknown>>;
}

/** Builds a row of the routes' table from its definition. */
export function route<Body extends z.ZodType, Query extends z.ZodObject, Result extends z.ZodType>(
  definition: Definition<Body, Query, Result>,
): Route {
  const { handle, ...row } = definition;
  return {
    ...row,
    columns: null,
    isStreamed: false,
    respond: async (call) => {
      if (row.resource !== null && !row.resource.idSchema.safeParse(call.id).success)
        return notFound(row.resource.name);
      if (row.part !== undefined && !row.part.idSchema.safeParse(call.partId).success) return notFound(row.part.name);
      const { idempotencyKey } = call;
      if (row.idempotent && idempotencyKey !== null && !IDEMPOTENCY_KEY.test(idempotencyKey))
        return problem(400, BAD_IDEMPOTENCY_KEY);
      const query = row.query.safeParse(call.query);
      if (!query.success) return problem(400, "the query has invalid fields: see errors", fieldErrors(query.error));
      const body = row.body.safeParse(call.body);
      if (!body.success) return problem(400, "the body has invalid fields: see errors", fieldErrors(body.error));
      return handle({ ...call, query: query.data, body: body.data });
    },
  };
}

function fieldErrors(error: z.ZodError): readonly FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [{ path: issue.path.join("."), message: issue.message }];
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join("."),
      message: "is not a field of this request: leave it out",
    }));
  });
}
