import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import * as z from "zod";
import { CommandError } from "../exit-codes.ts";

/** The address of a service and the token that opens its admin API. */
const profileSchema = z.strictObject({ url: z.url(), token: z.string().min(1) });
/** A profile of the command line: the URL and the token of a service. */
export type Profile = z.output<typeof profileSchema>;

/** The form of a profile's name. */
export const profileName = z
  .string()
  .regex(/^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/, "must be a word of letters, digits, . _ and -");

const profilesSchema = z.strictObject({
  /** The profile that a call takes if it names none. */
  current: z.string().nullable(),
  profiles: z.record(profileName, profileSchema),
});
/** All profiles of a person. */
export type Profiles = z.output<typeof profilesSchema>;

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** The permission bits of everybody except the owner of a file. */
const OTHERS = 0o077;

/** Returns the folder of this command's files, by the XDG Base Directory Specification. */
export function configDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_CONFIG_HOME ?? "";
  return join(isAbsolute(base) ? base : join(homedir(), ".config"), "gasworks");
}

/** Returns the file of the profiles. */
export function profilesPath(env: Readonly<Record<string, string | undefined>>): string {
  return join(configDirectory(env), "profiles.json");
}

/**
 * Reads a private file. Null if it does not exist.
 *
 * @throws CommandError if anybody except its owner may read or write it.
 */
export async function readPrivate(path: string): Promise<string | null> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new CommandError("usage", `${path} cannot be read: ${error.message}`);
  });
  if (file === null) return null;
  try {
    const { mode } = await file.stat();
    if ((mode & OTHERS) !== 0)
      throw new CommandError("usage", `others may read ${path}, which holds tokens: chmod 600 ${path}`);
    return await readFile(file, "utf8");
  } finally {
    await file.close();
  }
}

/** Writes a private file. A crash leaves the old one or the new one, whole. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  // `wx` fails on a file or link that another user has put there.
  const written = `${path}.${randomUUID()}`;
  try {
    await writeFile(written, text, { mode: FILE_MODE, flag: "wx" });
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/** Reads the profiles. @throws CommandError for a file that others may read, and for one of another form. */
export async function readProfiles(path: string): Promise<Profiles> {
  const text = await readPrivate(path);
  if (text === null) return { current: null, profiles: {} };
  try {
    return profilesSchema.parse(JSON.parse(text));
  } catch {
    throw new CommandError(
      "usage",
      `${path} is not a file of profiles: correct it, or remove it and run gasworks login`,
    );
  }
}

/** Writes the profiles, readable by their owner alone. */
export async function writeProfiles(path: string, profiles: Profiles): Promise<void> {
  await writePrivate(path, `${JSON.stringify(profilesSchema.parse(profiles), null, 2)}\n`);
}
