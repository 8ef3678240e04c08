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
 * The statuses of a problem. 400: not the shape that the schema asks for. 409: an idempotency key that was sent with another body before. 422: the
 * right shape, and at odds with a rule or with what exists.
 */
export type ProblemStatus = keyof typeof titles;

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** A refusal of the admin API. `detail` is for the operator who reads it: it says what to do about it. */
export interface Problem {
  readonly status: ProblemStatus;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** After how long the same request may be granted. */
  readonly retryAfterSeconds?: number;
}

/** RFC 9457. `about:blank` is its type for "the status code says it all". */
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
