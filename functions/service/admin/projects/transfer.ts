import * as z from "zod";
import { fromBase64, toBase64 } from "../../../../shared/crypto/base64.ts";
import { type TransferRecord, transferStates } from "../../../../shared/durable/transfer/state.ts";
import { takeFrame } from "../../../../shared/project/transfer/arrival.ts";
import { Departure } from "../../../../shared/project/transfer/departure.ts";
import { MAX_FRAME_CHARACTERS } from "../../../../shared/project/transfer/frames.ts";
import { closeProject, reopenProject } from "../../../../shared/project/transfer/steps.ts";
import { auditEntry } from "../route/audit.ts";
import { instant, iso, project } from "../route/fields.ts";
import { answer, noBody, noQuery, notFound, problem, problemFor, type Route, route } from "../route/route.ts";

const ID_BYTES = 10;
const MAX_CURSOR_CHARACTERS = 4_000;
const JSON_OVERHEAD_BYTES = 1_024;

const transferId = z.string().regex(/^trf_[0-9a-f]{20}$/, "must be the id of a transfer");

const destinationField = z.string().min(1).max(200);

const transferSchema = z.object({
  transferId,
  state: z
    .enum(transferStates)
    .describe("closed: nothing of the project works here. arriving: its copy comes in. arrived: it works here"),
  destination: z.string().describe("where callers are sent"),
  since: instant.describe("when it was closed, or began to arrive"),
  nextFrame: z.int().describe("the frame to send next. 0 at the service that it leaves"),
});

const reopenedSchema = transferSchema.omit({ nextFrame: true }).extend({
  state: z.literal("open").describe("the project works here again"),
});

/** The same words serve for a project that is unknown here. */
const noTransfer = () => problem(404, "this project is not moving: check the id");

function shown({ transferId: id, state, destination, atMs, nextFrame }: TransferRecord) {
  return { transferId: id, state, destination, since: iso(atMs), nextFrame };
}

/** The routes of a project that leaves this service, or arrives at it. */
export const transferRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/projects/:id/transfer",
    summary: "Close a project, so that it can move to another service. Its callers are refused until it is open there",
    resource: project,
    body: z.strictObject({
      destination: destinationField.describe("the other service's URL: refused callers are shown it"),
    }),
    query: noQuery,
    result: transferSchema,
    status: 202,
    handle: async ({ env, actor, deps, id, body }) => {
      const terms = { transferId: `trf_${Buffer.from(deps.randomBytes(ID_BYTES)).toString("hex")}`, ...body };
      const entry = auditEntry(actor, "project.close", id, terms);
      const closed = await closeProject(env.PROJECT.getByName(id), terms, entry);
      if (closed === null) return notFound("project");
      return closed.ok ? answer(shown(closed.value)) : problemFor(closed.error);
    },
  }),
  route({
    method: "GET",
    path: "/projects/:id/transfer",
    summary: "Read the last transfer of a project, out of this service or to it",
    resource: project,
    body: noBody,
    query: noQuery,
    result: transferSchema,
    status: 200,
    handle: async ({ env, id }) => {
      const record = await env.PROJECT.getByName(id).transferRecord();
      return record === null ? noTransfer() : answer(shown(record));
    },
  }),
  route({
    method: "DELETE",
    path: "/projects/:id/transfer",
    summary: "Open a closed project again. Never do this once it works at the other service: both would pay",
    resource: project,
    body: noBody,
    query: z.strictObject({
      destination: destinationField.describe(
        "the place that it was closed for, to confirm that it does not work there",
      ),
    }),
    result: reopenedSchema,
    status: 200,
    handle: async ({ env, actor, id, query }) => {
      const owner = env.PROJECT.getByName(id);
      const record = await owner.transferRecord();
      if (record === null) return noTransfer();
      if (query.destination !== record.destination)
        return problem(
          422,
          `this project was closed for ${record.destination}: stop it there, then send destination=${record.destination}`,
        );
      const entry = auditEntry(actor, "project.reopen", id, {
        transferId: record.transferId,
        closedSince: iso(record.atMs),
        confirmedNotWorkingAt: record.destination,
      });
      const opened = await reopenProject(owner, record, entry);
      if (!opened.ok) return problemFor(opened.error);
      const { nextFrame: _, ...transfer } = shown(opened.value);
      return answer({ ...transfer, state: "open" as const });
    },
  }),
  route({
    method: "GET",
    path: "/projects/:id/transfer/frames",
    summary: "Read the next sealed frame of a closed project. It begins 30 s after the close",
    resource: project,
    body: noBody,
    query: z.strictObject({ cursor: z.string().max(MAX_CURSOR_CHARACTERS).nullable().default(null) }),
    result: z.object({
      transferId,
      index: z.int(),
      frame: z.base64().describe("sealed under the master key"),
      nextCursor: z.string().nullable(),
    }),
    status: 200,
    handle: async ({ env, deps, id, query }) => {
      const record = await env.PROJECT.getByName(id).transferRecord();
      if (record?.state !== "closed")
        return problem(422, "the project is still open: close it first with POST /projects/:id/transfer");
      const read = await new Departure(env, deps, id, record).frame(query.cursor);
      return read.ok ? answer({ ...read.value, frame: toBase64(read.value.frame) }) : problemFor(read.error);
    },
  }),
  route({
    method: "POST",
    path: "/projects/:id/transfer/frames",
    summary: "Take in one frame of another service's project. The last one opens the project here",
    resource: project,
    body: z.strictObject({
      transferId,
      index: z.int().min(0),
      frame: z.base64().max(MAX_FRAME_CHARACTERS),
      recover: z
        .boolean()
        .default(false)
        .describe(
          "with the last frame: true if the old service may have worked on after the copy. Its funds then recover",
        ),
    }),
    query: noQuery,
    result: transferSchema,
    status: 202,
    maxBodyBytes: MAX_FRAME_CHARACTERS + JSON_OVERHEAD_BYTES,
    handle: async ({ env, actor, deps, id, body }) => {
      const frame = fromBase64(body.frame);
      if (frame === null) return problem(400, "frame: must be base64 with padding");
      const entry = auditEntry(actor, "project.arrive", id, { transferId: body.transferId });
      const taken = await takeFrame(env, deps, id, { ...body, frame }, entry, body.recover);
      return taken.ok ? answer(shown(taken.value)) : problemFor(taken.error);
    },
  }),
];
