import { join } from "node:path";
import * as z from "zod";
import type { AuditHead } from "../../../../../shared/audit/chain.ts";
import { verifyAudit } from "../../../../../shared/audit/verify.ts";
import { project } from "../../route/fields.ts";
import { type Call, type Command, isOn, JSON_FLAG, ownFlag, SERVICE_FLAGS, textOf } from "../command.ts";
import { CommandError, type Exit } from "../exit-codes.ts";
import { pathFrom } from "../request.ts";
import { connect } from "../service/connect.ts";
import { configDirectory, readPrivate, writePrivate } from "../service/profiles.ts";
import type { Session } from "../session.ts";
import { printJson } from "../show/answer.ts";
import { inertLines } from "../terminal/inert.ts";
import { say, styled } from "../terminal/screen.ts";
import { checkedId } from "./ids.ts";
import { wholeList } from "./whole-list.ts";

const headSchema = z.object({ seq: z.int(), hash: z.string() });
/** The head of each log, by the service and the log. */
const headsSchema = z.record(z.string(), headSchema);
const shownHeadSchema = z.object({ seq: z.int(), hash: z.string().nullable() });

const rowSchema = z.object({
  seq: z.int(),
  at: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.unknown(),
  actor: z.string().nullable(),
  actorTokenId: z.string().nullable(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  previousHash: z.string().nullable(),
});

async function readHeads(path: string): Promise<Readonly<Record<string, AuditHead>>> {
  const text = await readPrivate(path);
  if (text === null) return {};
  try {
    return headsSchema.parse(JSON.parse(text));
  } catch {
    throw new CommandError("usage", `${path} is not a file of audit heads: restore it from your copy`);
  }
}

/** Returns what contradicts the log. Null if nothing does. */
function faultOf(rows: Parameters<typeof verifyAudit>[0], kept: AuditHead | null, shown: AuditHead | null) {
  const verified = verifyAudit(rows, kept);
  if (!verified.ok) return verified.error;
  const { value } = verified;
  if (!value.isWhole) return { seq: null, fault: "the first rows are missing" };
  if (shown === null) return null;
  const now = verifyAudit(rows, shown);
  return now.ok ? null : { seq: now.error.seq, fault: "the list and the head of the service contradict each other" };
}

async function verify(call: Call, session: Session): Promise<Exit> {
  const [typed] = call.words;
  const word = typed === undefined ? undefined : checkedId(project, typed, verifyCommand);
  const connected = await connect(session, call);
  const { service, screen, env } = connected;
  const named = textOf(call, "heads");
  const path = named === undefined ? join(configDirectory(env), "audit-heads.json") : pathFrom(session, named);
  const heads = await readHeads(path);
  const log = `${service.url} ${word ?? "service"}`;
  const kept = heads[log] ?? null;
  const auditPath = word === undefined ? "/audit" : `/projects/${word}/audit`;
  // The head is read first, so that the list has its row.
  const { seq, hash } = shownHeadSchema.parse((await service.call({ method: "GET", path: `${auditPath}/head` })).body);
  const rows = z.array(rowSchema).parse(await wholeList(connected, { method: "GET", path: auditPath }));
  const fault = faultOf(rows, kept, hash === null ? null : { seq, hash });
  const verified = verifyAudit(rows, null);
  const head = fault === null && verified.ok ? verified.value.head : null;
  const text =
    fault === null
      ? `${rows.length} rows follow each other${kept === null ? ". No head was kept yet: this one proves later changes" : `, and row ${kept.seq} is what was kept`}.`
      : `${fault.seq === null ? "The log" : `Row ${fault.seq}`}: ${fault.fault}.`;
  if (head !== null) await writePrivate(path, `${JSON.stringify({ ...heads, [log]: head }, null, 2)}\n`);
  if (isOn(call, "json")) printJson(screen, { ok: fault === null, rows: rows.length, kept, head, fault });
  else {
    say(screen.out, styled(screen, fault === null ? "green" : "red", inertLines(text)));
    if (head !== null) say(screen.out, inertLines(`Head: row ${head.seq}, ${head.hash}, kept in ${path}`));
  }
  return fault === null ? "ok" : "failedCheck";
}

/** Verifies a whole audit log against its hashes, and against the head that was kept before. */
export const verifyCommand: Command = {
  name: "audit verify",
  summary: "Verify an audit log: its hashes, and the head that was kept before. The new head is kept then",
  positionals: [
    { name: "project", description: "its id; without it the log of tokens", isRequired: false, schema: null },
  ],
  flags: [
    ownFlag("heads", "file", "the file of the kept heads; audit-heads.json beside the profiles unless given"),
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  notes: ["Keep a copy of that file at another place. A log that was made anew as a whole shows only against it."],
  run: verify,
};
