import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build, SERVICE } from "../../shared/cli/build.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";

const BYTES_PER_KIB = 1_024;

/** The size of the bundle, and the time from the start of its process to the first answer. */
export async function benchStart(): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const askedAt = performance.now();
    await (await fetch(`${hosted.service.url}/health`)).text();
    const firstAnswerMs = hosted.service.startUpMs + performance.now() - askedAt;
    const script = await readFile((await build(SERVICE)).scriptPath);
    const kibibytes = (bytes: number) => `${(bytes / BYTES_PER_KIB).toFixed(0)} KiB`;
    console.log(`bundle ${kibibytes(script.length)}, ${kibibytes(gzipSync(script).length)} gzip`);
    console.log(`start-up ${hosted.service.startUpMs.toFixed(0)} ms until workerd listens`);
    console.log(`${firstAnswerMs.toFixed(0)} ms until the first answer`);
  } finally {
    await hosted.stop();
  }
}
