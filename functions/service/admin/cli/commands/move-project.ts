import { access, constants, stat } from "node:fs/promises";
import * as z from "zod";
import { UnexpectedAnswer } from "../../../../../shared/cli/client/http.ts";
import { sendFrames, writeFrames } from "../../../../../shared/cli/move/copy.ts";
import { CopyFile, framesOfFile } from "../../../../../shared/cli/move/copy-file.ts";
import { AwayError, type Frame, Source, Target } from "../../../../../shared/cli/move/frames.ts";
import { LaunchError } from "../../../../../shared/cli/terminal.ts";
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
import { checkedId } from "./ids.ts";

const projectWord: Positional = { name: "project", description: "its id", isRequired: true, schema: project.idSchema };

function projectId({ words: [word = ""] }: Call, command: Command): string {
  return checkedId(project, word, command);
}

/** Shows the number of finished frames, and whether the service is away. */
class Counting {
  readonly #progress: Progress;
  readonly #verb: string;
  #text: string;

  constructor(progress: Progress, verb: string, begun: string) {
    this.#progress = progress;
    this.#verb = verb;
    this.#text = begun;
  }

  readonly onFrame = ({ index }: Frame): void => {
    this.#text = `${this.#verb} ${index + 1} frames`;
    this.#progress.show(this.#text);
  };

  readonly onAway = (isAway: boolean): void => {
    this.#progress.show(isAway ? `${this.#text}; the service does not answer, the next call comes` : this.#text);
  };
}

const closedSchema = z.object({ transferId: z.string(), state: z.literal("closed") });

/** Returns the transfer for which a project is closed now. Null if it is not. @throws CommandError for a refusal. */
async function closedFor({ service }: Connected, id: string): Promise<string | null> {
  const answer = await service.answer({ method: "GET", path: `/projects/${id}/transfer` });
  if (answer.status !== 404 && answer.status >= 300) throw service.refusal(answer);
  return closedSchema.safeParse(answer.body).data?.transferId ?? null;
}

/**
 * Returns the end of a move after an error.
 *
 * @param state describes the state of the project.
 */
function ended(error: unknown, { service }: Connected, state: string): unknown {
  const end = (exit: Exit, message: string) => new CommandError(exit, `${message}\n${state}`);
  if (error instanceof UnexpectedAnswer && error.answer !== null) {
    const { exit, message } = service.refusal(error.answer);
    const isRefused = error.answer.status >= 300;
    return isRefused ? end(exit, message) : end("fault", "the answer has another form than this clone knows");
  }
  if (error instanceof AwayError) return end("unreachable", error.message);
  if (error instanceof LaunchError) return end("refused", error.message);
  // A disk that is full, or a file that has gone.
  return error instanceof Error && "code" in error ? end("fault", error.message) : error;
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
  // A closed project is worth nothing if its copy cannot be written.
  const [held, now] = [await CopyFile.check(path), await closedFor(connected, id)];
  if (held !== null && held !== now)
    throw new CommandError("refused", `${inert(path)} holds transfer ${held}, so nothing was done: name another file`);
  const notice = `${id} stays closed at the service. Run the same command again to go on, or open it: gasworks project reopen ${id}`;
  const begun = "the copy begins 30 s after the close";
  const progress = startProgress(screen, begun, clock.nowMs);
  const counting = new Counting(progress, "wrote", begun);
  let isClosed = now !== null;
  await interrupts
    .during(notice, async () => {
      const source = new Source(service.access, id, counting.onAway);
      const { transferId } = await source.close(destination);
      isClosed = true;
      await writeFrames(source, transferId, path, counting.onFrame);
    })
    .catch((error: unknown) => {
      throw ended(error, connected, isClosed ? notice : `Look whether it is closed: gasworks project transfer ${id}`);
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
  const isReadable = await access(path, constants.R_OK).then(
    async () => (await stat(path)).isFile(),
    () => false,
  );
  if (!isReadable) throw usageError(`--in: ${inert(path)} cannot be read`, importCommand);
  const connected = await connect(session, call);
  const { service, screen, clock, interrupts } = connected;
  // A wrong token and a service that is down end here. Later calls wait for a service that is away.
  await closedFor(connected, id);
  const progress = startProgress(screen, "sending", clock.nowMs);
  const counting = new Counting(progress, "sent", "sending");
  const notice = `${id} has not arrived whole. Run the same command again to go on`;
  const hasArrived = await interrupts
    .during(notice, () =>
      sendFrames(
        framesOfFile(path),
        new Target(service.access, id, counting.onAway),
        !isOn(call, "current"),
        counting.onFrame,
      ),
    )
    .catch((error: unknown) => {
      throw ended(error, connected, notice);
    })
    .finally(() => progress.end());
  if (!hasArrived)
    throw new CommandError(
      "refused",
      `${id} is incomplete: ${inert(path)} lacks its last frames, so copy the project again`,
    );
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
