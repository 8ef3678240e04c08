import { CopyFile } from "./copy-file.ts";
import type { Frame, Source, Target } from "./frames.ts";

/** Takes each frame that was sent or written. */
export type OnFrame = (frame: Frame) => void;

/**
 * Sends frames, except those that the service has already.
 *
 * @param recover true if the old service may have worked on after the copy.
 * @returns whether the project works at the new service.
 */
export async function sendFrames(
  frames: AsyncIterable<Frame>,
  target: Target,
  recover: boolean,
  onFrame: OnFrame,
): Promise<boolean> {
  let needed: number | null = null;
  let state = "arriving";
  for await (const frame of frames) {
    needed ??= await target.nextFrame(frame.transferId);
    // The last frame is always sent: it opens the project, and may have been cut off there.
    if (frame.index < needed && frame.nextCursor !== null) continue;
    state = (await target.take(frame, recover)).state;
    onFrame(frame);
  }
  return state === "arrived";
}

/** Writes the frames of a transfer to a file, after those that it has already. */
export async function writeFrames(source: Source, transferId: string, path: string, onFrame: OnFrame): Promise<void> {
  const file = await CopyFile.at(path, transferId);
  try {
    if (file.last !== null && file.last.nextCursor === null) return;
    for await (const frame of source.frames(file.last?.nextCursor ?? null)) {
      await file.append(frame);
      onFrame(frame);
    }
  } finally {
    await file.close();
  }
}
