/** The path of the admin API. */
export const ADMIN_PATH = "/admin/v1";

const titles = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

/**
 * The statuses of a problem. 400: the body does not have the schema's shape. 409: the idempotency key was sent with
 * another body before. 422: the shape is right, but the values conflict with a rule or with stored state.
 */
export type ProblemStatus = keyof typeof titles;

/** A field of a request that does not fit its schema. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** A refusal of the admin API. `detail` is for the operator, and names the remedy. */
export interface Problem {
  readonly status: ProblemStatus;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** The wait after which the same request may be granted. */
  readonly retryAfterSeconds?: number;
}

/**
 * Builds a problem document of RFC 9457. Its type `about:blank` means that the status code alone describes the problem.
 */
export function problemResponse(
  { status, retryAfterSeconds, ...rest }: Problem,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }), ...more };
  return new Response(JSON.stringify({ type: "about:blank", title: titles[status], status, ...rest }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json" },
  });
}
