import type { Context } from "hono";
import type { AppEnv } from "../../../shared/http/app.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import type { Result } from "../../../shared/result.ts";
import type { DashboardGround } from "../ground.ts";
import { isFromOwnPage } from "./same-origin.ts";
import type { Session } from "./session.ts";

const MAX_FORM_BYTES = 64 * 1_024;
const FORM_TYPE = /^application\/x-www-form-urlencoded(;|$)/i;

/** The field in which a form carries the session's secret. */
export const CSRF_FIELD = "csrf";

const refuse = (status: Problem["status"], detail: string) => ({ ok: false, error: { status, detail } }) as const;

/** Reads the fields of a form that a page of the dashboard has sent. */
export async function readFields(
  c: Context<AppEnv>,
  ground: DashboardGround,
): Promise<Result<URLSearchParams, Problem>> {
  if (!isFromOwnPage(c.req.raw.headers)) return refuse(403, "This form was not sent by a page of the dashboard.");
  if (!FORM_TYPE.test(c.req.header("content-type") ?? "")) return refuse(415, "A form must be sent by its page.");
  const text = await ground.readText(c.req.raw, MAX_FORM_BYTES).catch(() => undefined);
  if (text === undefined) return refuse(400, "The form must be text.");
  if (text === null) return refuse(413, "The form is too long.");
  return { ok: true, value: new URLSearchParams(text) };
}

/** Reads as `readFields` does, from a form of this session. A GET has no fields. */
export async function readForm(
  c: Context<AppEnv>,
  ground: DashboardGround,
  session: Session,
): Promise<Result<URLSearchParams, Problem>> {
  if (c.req.method !== "POST") return { ok: true, value: new URLSearchParams() };
  const fields = await readFields(c, ground);
  if (!fields.ok) return fields;
  if (!ground.equalTexts(fields.value.get(CSRF_FIELD) ?? "", session.csrf))
    return refuse(403, "This form belongs to another session. Go back, reload the page, and send it again.");
  fields.value.delete(CSRF_FIELD);
  return fields;
}
