import { type Deps, serviceMasterKeys } from "../../bindings/deps.ts";
import { DIRECTORY_NAME } from "../../bindings/directory.ts";
import type { Env } from "../../bindings/env.ts";
import type { AuditEntry } from "../../bindings/project.ts";
import type { TransferTerms } from "../../bindings/transfer.ts";
import { checksOf, secretText } from "../../crypto/key-check.ts";
import type { TransferRecord } from "../../durable/transfer/state.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { type FramePlace, type Manifest, openFrame } from "./frames.ts";
import { stepEveryMember } from "./steps.ts";

/** One frame as it comes in. */
export interface ArrivingFrame extends FramePlace {
  /** Sealed bytes. */
  readonly frame: Uint8Array;
}

/**
 * Takes in one frame of another service's project. Frames come in their order. A repeat changes nothing, so that a
 * sender whose answer was lost sends the frame again.
 *
 * @param recover true if the copy may be older than what the source did. It counts with the last frame.
 * @returns the project's state; `bad_params` if the frame does not open or fit, or the project works here already.
 */
export async function takeFrame(
  env: Env,
  deps: Deps,
  projectId: string,
  { frame, ...place }: ArrivingFrame,
  entry: AuditEntry,
  recover: boolean,
): Promise<Outcome<TransferRecord>> {
  const opened = await openFrame(frame, place, serviceMasterKeys(deps));
  if (!opened.ok) return opened;
  const project = env.PROJECT.getByName(projectId);
  const content = opened.value;
  if (content.kind === "manifest") {
    if (content.projectId !== projectId)
      return refuse("bad_params", `this copy belongs to project ${content.projectId}: send it to that project`);
    const fits = await fitsHere(content, deps);
    if (!fits.ok) return fits;
    const arriving = await project.arrive({ transferId: place.transferId, destination: content.destination });
    return arriving;
  }
  if (content.kind === "objects") return project.takeRows(place.transferId, place.index, content.objects);
  const record = await project.transferRecord();
  if (record === null || record.transferId !== place.transferId || record.state === "closed")
    return refuse("bad_params", "send frame 0 first: this transfer has not begun here");
  if (place.index > record.nextFrame)
    return refuse("bad_params", `frame ${place.index} is too early: send frame ${record.nextFrame}`);
  return open(env, projectId, record, entry, recover);
}

/** Returns whether this service can use the sealed values of the other one, and admit its keys. */
async function fitsHere({ region, checks }: Manifest, deps: Deps): Promise<Outcome<null>> {
  const { config } = deps;
  if (region !== config.region)
    return refuse(
      "bad_params",
      `the project's keys begin with ${region}, and this service has REGION=${config.region}: set REGION=${region}`,
    );
  const here = await checksOf(deps);
  const missing = checks.filter(
    ({ secret, version, value }) =>
      !here.some((check) => check.secret === secret && check.version === version && check.value === value),
  );
  return missing.length === 0
    ? done(null)
    : refuse(
        "bad_params",
        `${missing.map(secretText).join(" and ")} is missing or differs here: set the old service's value`,
      );
}

/**
 * Opens the project, then its funds, and the keys last. A repeat continues where a crash has stopped it. The project
 * comes first, so that its state never says less than what already works.
 *
 * @param recover true if the source may have worked on after the copy. Each fund then recovers before a key admits
 * calls.
 */
async function open(
  env: Env,
  projectId: string,
  { transferId, destination }: TransferTerms,
  entry: AuditEntry,
  recover: boolean,
): Promise<Outcome<TransferRecord>> {
  const project = env.PROJECT.getByName(projectId);
  const terms = { transferId, destination };
  await project.completeTransfer(transferId, entry);
  await stepEveryMember(project, "fund", recover ? "complete_and_recover" : "complete", terms);
  await env.DIRECTORY.getByName(DIRECTORY_NAME).add(projectId);
  await stepEveryMember(project, "key", "complete", terms);
  return stateOf(env, projectId);
}

async function stateOf(env: Env, projectId: string): Promise<Outcome<TransferRecord>> {
  const record = await env.PROJECT.getByName(projectId).transferRecord();
  return record === null ? refuse("internal", "a transfer that was stored is not there") : done(record);
}
