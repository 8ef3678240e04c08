import type { Context } from "hono";
import * as z from "zod";
import { sha256Base64url } from "../shared/crypto/sha256.ts";
import { jsonError } from "../shared/http/app.ts";
import { type Chain, chains } from "../shared/networks.ts";
import { readBoundedText, stringifyJson } from "../shared/rpc/json.ts";
import { isAuthentic, sentHeaders } from "../shared/webhooks/sign.ts";
import { USER_ID } from "../shared/workflow/caller.ts";
import type { WorkflowFailure, WorkflowOutcome } from "../shared/workflow/errors.ts";
import type { Workflow, WorkflowEnv } from "../shared/workflow/handler.ts";
import { BACK_END_ISSUER } from "../shared/workflow/wallet-clients.ts";
import { createWalletOnChain } from "./create-wallet-on-chain.ts";

/** The app's configuration, for the rules of the table. */
interface App {
  readonly chains: readonly Chain[];
}

interface EventHandler {
  /** Null if the event's data does not fit. */
  starts(data: unknown, app: App): readonly WorkflowStart[] | null;
}

/** A workflow in the form in which it is called for a user. */
interface WorkflowStart {
  readonly workflow: string;
  /** The workflow and its input. They identify a repeat of the event, also after the table was edited. */
  readonly what: string;
  /** Runs the workflow. @param idempotencyKey of this event and workflow. */
  run(issuer: string, idempotencyKey: string, c: Context<WorkflowEnv>): Promise<WorkflowOutcome>;
}

function rule<Schema extends z.ZodType>(
  dataSchema: Schema,
  starts: (data: z.output<Schema>, app: App) => readonly WorkflowStart[],
): EventHandler {
  return {
    starts: (data, app) => {
      const parsed = dataSchema.safeParse(data);
      return parsed.success ? starts(parsed.data, app) : null;
    },
  };
}

function start<Schema extends z.ZodType>(
  { workflow, start }: Workflow<Schema>,
  subject: string,
  input: z.output<Schema>,
): WorkflowStart {
  return {
    workflow,
    what: stringifyJson([workflow, input]),
    run: (issuer, key, c) => start({ user: { issuer, subject, claims: {} }, input, key }, c),
  };
}

/**
 * The table of workflows that each event starts; the app edits it. The first key is the webhook's name, which is the
 * end of its path and has a secret in `WEBHOOK_SECRETS`. The second key is the event's type. Events without a row are
 * accepted and start nothing.
 *
 * The user is the subject of the tokens of `JWT_ISSUER`, if that is set. Otherwise it is the user that your back end
 * names in `X-User-Id`.
 */
const handlers: Readonly<Record<string, Readonly<Record<string, EventHandler>>>> = {
  users: {
    "user.created": rule(z.object({ id: z.string().regex(USER_ID) }), ({ id }, app) =>
      app.chains.map((chain) => start(createWalletOnChain, id, { chain })),
    ),
  },
};

/** The limit is more than twice the highest one that Standard Webhooks recommends. */
const MAX_BODY_BYTES = 65_536;
const MESSAGE_ID = /^[\x21-\x7e]{1,256}$/;
const UNIX_SECONDS = /^[1-9][0-9]{0,11}$/;
const messageSchema = z.object({ type: z.string().min(1).max(256), data: z.unknown() });

function lookUp<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

interface Delivered {
  readonly id: string;
  readonly body: string;
}

function unauthenticated(): Response {
  return jsonError(401, "unauthenticated", "send a Standard Webhooks signature, not older than five minutes");
}

/** Returns the message if its signature is right, otherwise the refusal. */
async function authenticate(
  { headers, body: stream }: Request,
  secrets: readonly Uint8Array[],
  nowMs: number,
): Promise<Delivered | Response> {
  const body = await readBoundedText(stream, MAX_BODY_BYTES).catch(() => undefined);
  if (body === undefined) return jsonError(400, "bad_request", "the body is not UTF-8: send it as UTF-8");
  if (body === null)
    return jsonError(413, "bad_request", `the message is too long: send at most ${MAX_BODY_BYTES} bytes`);
  const sent = sentHeaders(headers);
  if (sent === null) return unauthenticated();
  const { id, timestamp, signatures } = sent;
  if (!MESSAGE_ID.test(id) || !UNIX_SECONDS.test(timestamp)) return unauthenticated();
  const message = { id, timestampSeconds: Number(timestamp), body };
  return secrets.some((secret) => isAuthentic(message, signatures, secret, nowMs)) ? { id, body } : unauthenticated();
}

function parseMessage(body: string): z.output<typeof messageSchema> | null {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

function failed({ error: { status, code, message } }: WorkflowFailure): Response {
  // Every failure is retryable, because the sender's next attempt starts the workflow anew.
  return Response.json({ error: { code, message, retryable: true } }, { status });
}

/**
 * Handles `POST /webhooks/:name`, which accepts each event once. A repeat gets the first answer and starts nothing. If
 * a workflow fails, the sender's next attempt starts it again. A refusal by the app's policy is named, and not tried
 * again.
 */
export async function webhook(c: Context<WorkflowEnv>): Promise<Response> {
  const { config, deps } = c.var.setting;
  const issuer = config.jwt?.issuer ?? BACK_END_ISSUER;
  const app: App = { chains: chains.filter((chain) => config.accessKeys[chain] !== null) };
  const name = c.req.param("name") ?? "";
  const secrets = config.webhookSecrets.get(name);
  const ofName = lookUp(handlers, name);
  if (secrets === undefined || ofName === undefined)
    return jsonError(404, "not_found", "no such webhook: name one of WEBHOOK_SECRETS");
  if (c.req.method !== "POST")
    return jsonError(405, "method_not_allowed", "a webhook accepts only POST: send a POST", { allow: "POST" });
  const delivered = await authenticate(c.req.raw, secrets, deps.clock.nowMs());
  if (delivered instanceof Response) return delivered;
  const { id, body } = delivered;
  const message = parseMessage(body);
  if (message === null) return jsonError(400, "bad_request", "the body must be {type, data} as JSON");
  const starts = lookUp(ofName, message.type)?.starts(message.data, app);
  if (starts === null)
    return jsonError(
      400,
      "bad_request",
      `data does not match the schema of ${message.type}: send the fields of that schema`,
    );

  const inbox = c.env.WEBHOOK_INBOX.getByName(name);
  const fingerprint = sha256Base64url(body);
  const begun = await inbox.begin({ id, fingerprint });
  if (begun.state === "conflict")
    return jsonError(409, "idempotency_conflict", "this webhook-id was used with another body: send a new id");
  if (begun.state === "running")
    return Response.json(
      {
        error: { code: "in_progress", message: "this event is being worked on: send it again later", retryable: true },
      },
      { status: 409, headers: { "retry-after": "5" } },
    );
  if (begun.state === "full")
    return Response.json(
      {
        error: {
          code: "storage_budget",
          message: "too many events are remembered: send it again later",
          retryable: true,
        },
      },
      { status: 503, headers: { "retry-after": "3600" } },
    );
  if (begun.state === "answered") return answered(begun.answerJson);
  const started: string[] = [];
  const refused: { readonly workflow: string; readonly message: string }[] = [];
  try {
    for (const { workflow, what, run } of starts ?? []) {
      const idempotencyKey = sha256Base64url(`${name} ${id} ${what}`);
      const outcome = await run(issuer, idempotencyKey, c);
      if (outcome.ok) started.push(workflow);
      // The app's policy has decided. It would decide the same on every repeat.
      else if (outcome.error.refusedBy === "app") refused.push({ workflow, message: outcome.error.message });
      else {
        await inbox.release(id);
        return failed(outcome);
      }
    }
  } catch (error) {
    await inbox.release(id);
    throw error;
  }
  const answerJson = JSON.stringify(refused.length === 0 ? { started } : { started, refused });
  await inbox.finish(id, answerJson);
  return answered(answerJson);
}

function answered(answerJson: string): Response {
  return new Response(answerJson, { headers: { "content-type": "application/json" } });
}
