import { createReadStream } from "node:fs";
import { access, type FileHandle, open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { LaunchError } from "../terminal.ts";
import { type Frame, frameSchema } from "./frames.ts";

/** Only the owner may read it, although it opens only with the master key. */
const FILE_MODE = 0o600;

/** Parses one line. Null if it is no frame: a kill may have cut off the last line. */
function parseLine(line: string): Frame | null {
  try {
    return frameSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Yields the lines of a file. None if there is no file. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) yield* createInterface({ input: createReadStream(path) });
}

/** Yields the frames of a file in their order. @throws LaunchError for a line that is no frame. */
export async function* framesOfFile(path: string): AsyncGenerator<Frame> {
  let index = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const frame = parseLine(line);
    if (frame === null || frame.index !== index)
      throw new LaunchError(
        `${path}, line ${index + 1}: this is not frame ${index} of a project's copy: make the copy again`,
      );
    index += 1;
    yield frame;
  }
}

/** A file with one sealed frame a line. A run continues it from its last frame. */
export class CopyFile {
  readonly #file: FileHandle;
  /** The last whole frame. Null without one. */
  readonly last: Frame | null;

  private constructor(file: FileHandle, last: Frame | null) {
    this.#file = file;
    this.last = last;
  }

  /**
   * Proves that a copy can be written there. A new file stays empty.
   *
   * @returns the transfer whose frames it holds. Null if it holds none.
   * @throws LaunchError if it cannot be written.
   */
  static async check(path: string): Promise<string | null> {
    try {
      await (await open(path, "a", FILE_MODE)).close();
    } catch (error) {
      throw new LaunchError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
    for await (const line of linesOf(path)) return parseLine(line)?.transferId ?? null;
    return null;
  }

  /** Opens a file, and cuts an unfinished line off. @throws LaunchError if it holds another transfer. */
  static async at(path: string, transferId: string): Promise<CopyFile> {
    let last: Frame | null = null;
    let bytes = 0;
    for await (const line of linesOf(path)) {
      const frame = parseLine(line);
      if (frame === null) break;
      if (frame.transferId !== transferId)
        throw new LaunchError(
          `${path} holds transfer ${frame.transferId}, this one is ${transferId}: name another file`,
        );
      last = frame;
      bytes += Buffer.byteLength(line) + 1;
    }
    const file = await open(path, "a", FILE_MODE);
    await file.truncate(bytes);
    return new CopyFile(file, last);
  }

  /** Appends a frame. It is on disk when this returns. */
  async append(frame: Frame): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(frame)}\n`);
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
