import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { LaunchError } from "../../shared/cli/terminal.ts";

const keptSchema = z.object({
  secrets: z.record(z.string(), z.string()),
  funds: z.array(
    z.object({
      chain: z.enum(["Sui", "Aptos"]),
      fundId: z.string(),
      depositAddress: z.string(),
      to: z.string(),
      /** The deposit has been sent, and may arrive. */
      isSent: z.boolean(),
    }),
  ),
});

/** What is needed to get the money of a story's funds back: the service's secrets, and who gets it. */
export type Kept = z.output<typeof keptSchema>;

const pathIn = (stateDirectory: string) => join(stateDirectory, "funded-story.json");

/** Writes it beside the service's state, readable by its owner only. It has to be there before the deposit. */
export async function keep(stateDirectory: string, kept: Kept): Promise<void> {
  await mkdir(stateDirectory, { recursive: true });
  await writeFile(pathIn(stateDirectory), JSON.stringify(kept), { mode: 0o600 });
}

/** @throws LaunchError if the directory has no funds of a story. */
export async function readKept(stateDirectory: string): Promise<Kept> {
  const text = await readFile(pathIn(stateDirectory), "utf8").catch(() => null);
  if (text === null) throw new LaunchError(`${stateDirectory} has no funds of check-node.`);
  return keptSchema.parse(JSON.parse(text));
}
