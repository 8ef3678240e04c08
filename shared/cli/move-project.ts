import { resolve } from "node:path";
import type { AdminAccess } from "./client/admin.ts";
import { runCommand } from "./command.ts";
import { sendFrames, writeFrames } from "./move/copy.ts";
import { framesOfFile } from "./move/copy-file.ts";
import { type Frame, Source, Target } from "./move/frames.ts";
import { parseOptions, print, UsageError } from "./terminal.ts";

const USAGE = `Usage: npm run move-project -- --project <id> [--destination <text>] [--out <file> | --in <file> [--current]]

Moves a project with everything that it owns to another service: funds, keys, wallets, ledger, webhooks and audit log.
It closes the project at the old service. From then on, callers there are refused and shown the new place.

  --project <id>        the project
  --destination <text>  what refused callers are shown; NEW_URL if it is not given
  --out <file>          write the copy to a file, instead of sending it
  --in <file>           send a copy from a file. Its funds recover: they are closed until their books agree with the chain
  --current             with --in: nothing has worked at the old service since the copy, so no fund has to recover
  --help                this text

OLD_URL, OLD_ADMIN_TOKEN   the service that the project leaves
NEW_URL, NEW_ADMIN_TOKEN   the service that it goes to, with the same MASTER_KEYS, KEY_PEPPERS and REGION

The copy is sealed under the master key. Killed, or ended by an error, the command goes on when it is run again.`;

const OPTIONS = {
  project: { type: "string" },
  destination: { type: "string" },
  out: { type: "string" },
  in: { type: "string" },
  current: { type: "boolean" },
} as const;
const EXIT_INTERRUPTED = 130;
const FRAMES_PER_LINE = 50;

function serviceOf(which: "OLD" | "NEW"): AdminAccess {
  const read = (name: string): string => {
    const value = process.env[name];
    if (value === undefined || value === "")
      throw new UsageError(`${name} is not set: set it in the environment`, USAGE);
    return value;
  };
  return { serviceUrl: read(`${which}_URL`).replace(/\/$/, ""), adminToken: read(`${which}_ADMIN_TOKEN`) };
}

function fileOf(path: string): string {
  // npm runs scripts in the repository. Paths are relative to the person's directory.
  return resolve(process.env.INIT_CWD ?? ".", path);
}

function onFrame(verb: string) {
  return ({ index, nextCursor }: Frame): void => {
    if (nextCursor === null || (index + 1) % FRAMES_PER_LINE === 0) print(`  ${verb} ${index + 1} frames`);
  };
}

/** Reports whether the project works at the new service, and returns the exit code. */
function sayArrived(projectId: string, hasArrived: boolean): 0 | 1 {
  print(hasArrived ? `${projectId} works at the new service.` : `${projectId} has not arrived whole.`);
  return hasArrived ? 0 : 1;
}

await runCommand({
  exitCodeWhenInterrupted: EXIT_INTERRUPTED,
  run: async () => {
    const options = parseOptions(USAGE, OPTIONS);
    if (options === null) return 0;
    const { project, destination, out, in: input, current } = options;
    if (project === undefined) throw new UsageError("--project is missing: name the project's id", USAGE);
    if (current === true && input === undefined)
      throw new UsageError("--current has no effect without --in: add --in, or leave it out", USAGE);
    if (out !== undefined && input !== undefined)
      throw new UsageError("--out and --in exclude each other: give one", USAGE);
    if (input !== undefined) {
      const target = new Target(serviceOf("NEW"), project);
      return sayArrived(
        project,
        await sendFrames(framesOfFile(fileOf(input)), target, current !== true, onFrame("sent")),
      );
    }
    const place = destination ?? process.env.NEW_URL;
    if (place === undefined || place === "")
      throw new UsageError("--destination is missing: name the URL of the new service", USAGE);
    const target = out === undefined ? new Target(serviceOf("NEW"), project) : null;
    const source = new Source(serviceOf("OLD"), project);
    const { transferId } = await source.close(place);
    print(`${project} is closed. Its copy begins 30 s after that, when no call is under way any more.`);
    if (target !== null) {
      return sayArrived(project, await sendFrames(source.frames(null), target, false, onFrame("sent")));
    }
    const path = fileOf(out ?? "");
    await writeFrames(source, transferId, path, onFrame("wrote"));
    print(`${path} holds the whole copy.`);
    return 0;
  },
});
