import { open } from "node:fs/promises";

/** Limits the read, because the log grows without a bound. */
const READ_LOG_BYTES = 65_536;

/** Reads the end of a log, at most 64 KiB. Rejects if the log does not exist. */
export async function tailOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(READ_LOG_BYTES),
      position: Math.max(0, size - READ_LOG_BYTES),
    });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
