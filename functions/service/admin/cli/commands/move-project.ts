import { access, constants } from "node:fs/promises";
import { sendFrames, writeFrames } from "../../../../../shared/cli/move/copy.ts";
import { framesOfFile } from "../../../../../shared/cli/move/copy-file.ts";
import { type Frame, Source, Target } from "../../../../../shared/cli/move/frames.ts";
import { project } from "../../route/fields.ts";
import {
  type Call,
  type Command,
  isOn,
  ownFlag,
  type Positional,
  SERVICE_FLAGS,
  textOf,
  YES_FLAG,
} from "../command.ts";
import { closeCost } from "../costs.ts";
import { confirmDanger, type Facts } from "../danger.ts";
import { CommandError, type Exit } from "../exit-codes.ts";
import { isRecord } from "../flags.ts";
import { usageError } from "../parse.ts";
import { pathFrom } from "../request.ts";
import { connect } from "../service/connect.ts";
import type { Connected, Session } from "../session.ts";
import { inert } from "../terminal/inert.ts";
import { type Progress, startProgress } from "../terminal/progress.ts";
import { say } from "../terminal/screen.ts";

const projectWord: Positional = { name: "project", description: "its id", isRequired: true, schema: project.idSchema };

function projectId({ words: [word = ""] }: Call, command: Command): string {
  const id = project.idSchema.safeParse(word);
  if (id.success) return id.data;
  throw usageError(`<project>: ${id.error.issues[0]?.message}`, command);
}

function counting(progress: Progress, verb: string) {
  return ({ index }: Frame) => progress.show(`${verb} ${index + 1} frames`);
}

async function shownProject({ service }: Connected, id: string, destination: string): Promise<Facts> {
  const { body } = await service.call({ method: "GET", path: `/projects/${id}` });
  return { id, shown: isRecord(body) ? body : {}, sent: { destination } };
}

async function exportProject(call: Call, session: Session): Promise<Exit> {
  const id = projectId(call, exportCommand);
  const destination = textOf(call, "destination") ?? "";
  const path = pathFrom(session, textOf(call, "out") ?? "");
  const connected = await connect(session, call);
  await confirmDanger(session, call, closeCost(await shownProject(connected, id, destination)));
  const { screen, clock, interrupts, service } = connected;
  const notice = `${id} stays closed at the service. Run the same command again to go on, or open it: gasworks project reopen ${id}`;
  const progress = startProgress(screen, "the copy begins 30 s after the close", clock.nowMs);
  await interrupts
    .during(notice, async () => {
      const source = new Source(service.access, id);
      const { transferId } = await source.close(destination);
      await writeFrames(source, transferId, path, counting(progress, "wrote"));
    })
    .finally(() => progress.end());
  say(screen.err, `${inert(path)} holds the whole copy. ${id} stays closed.`);
  return "ok";
}

const exportCommand: Command = {
  name: "project export",
  summary: "Close a project, and write a copy of all that it owns to a file, sealed under the master key",
  positionals: [projectWord],
  flags: [
    ownFlag("out", "file", "the file of the copy", { isRequired: true }),
    ownFlag("destination", "text", "what refused callers are shown", { isRequired: true }),
    YES_FLAG,
    ...SERVICE_FLAGS,
  ],
  notes: ["gasworks project reopen opens the project again. From then on the copy is not valid."],
  run: exportProject,
};

async function importProject(call: Call, session: Session): Promise<Exit> {
  const id = projectId(call, importCommand);
  const path = pathFrom(session, textOf(call, "in") ?? "");
  await access(path, constants.R_OK).catch(() => {
    throw usageError(`--in: ${inert(path)} cannot be read`, importCommand);
  });
  const { service, screen, clock, interrupts } = await connect(session, call);
  const progress = startProgress(screen, "sending", clock.nowMs);
  const hasArrived = await interrupts
    .during(`${id} has arrived in part. Run the same command again to go on`, () =>
      sendFrames(
        framesOfFile(path),
        new Target(service.access, id),
        !isOn(call, "current"),
        counting(progress, "sent"),
      ),
    )
    .finally(() => progress.end());
  if (!hasArrived)
    throw new CommandError("refused", `${id} has not arrived whole: ${inert(path)} lacks its last frames`);
  say(screen.err, `${id} works at ${service.url}.`);
  return "ok";
}

const importCommand: Command = {
  name: "project import",
  summary: "Take in the copy of another service's project from a file",
  positionals: [projectWord],
  flags: [
    ownFlag("in", "file", "the file of the copy", { isRequired: true }),
    ownFlag("current", "", "nothing has worked at the old service since the copy, so no fund has to recover"),
    ...SERVICE_FLAGS,
  ],
  notes: [],
  run: importProject,
};

/** The commands that take a project out of a service as a file, and into another one. */
export const moveCommands: readonly Command[] = [exportCommand, importCommand];
