import { type Command, isOn, JSON_FLAG, type Positional } from "../command.ts";
import { CommandError } from "../exit-codes.ts";
import { profilesPath, readProfiles, writeProfiles } from "../service/profiles.ts";
import { looksOf, printJson } from "../show/answer.ts";
import { inert } from "../terminal/inert.ts";
import { say } from "../terminal/screen.ts";
import { tableLines } from "../terminal/text-table.ts";

const nameWord: Positional = { name: "profile", description: "its name", isRequired: true, schema: null };

function missing(name: string): CommandError {
  return new CommandError("notFound", `there is no profile ${inert(name)}: gasworks profile list`);
}

/** The commands of the profiles on this machine. No token is ever printed. */
export const profileCommands: readonly Command[] = [
  {
    name: "profile list",
    summary: "List the profiles on this machine, without their tokens",
    positionals: [],
    flags: [JSON_FLAG],
    notes: [],
    run: async (call, { env, screen }) => {
      const { current, profiles } = await readProfiles(profilesPath(env));
      const items = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
      if (isOn(call, "json")) printJson(screen, { items });
      else {
        const columns = ["name", "url", "current"].map((title) => ({ title, align: "left" }) as const);
        const rows = items.map((item) => [item.name, inert(item.url), item.current ? "yes" : "no"]);
        for (const line of tableLines(columns, rows, looksOf(screen))) say(screen.out, line);
      }
      return "ok";
    },
  },
  {
    name: "profile use",
    summary: "Make a profile the current one",
    positionals: [nameWord],
    flags: [],
    notes: [],
    run: async ({ words: [name = ""] }, { env, screen }) => {
      const path = profilesPath(env);
      const { profiles } = await readProfiles(path);
      if (!Object.hasOwn(profiles, name)) throw missing(name);
      await writeProfiles(path, { current: name, profiles });
      say(screen.err, `${name} is the current profile.`);
      return "ok";
    },
  },
  {
    name: "logout",
    summary: "Remove a profile and its token from this machine. The service still takes the token",
    positionals: [{ ...nameWord, description: "its name; the current profile unless given", isRequired: false }],
    flags: [],
    notes: [],
    run: async ({ words }, { env, screen }) => {
      const path = profilesPath(env);
      const { current, profiles } = await readProfiles(path);
      const name = words[0] ?? current ?? "";
      if (!Object.hasOwn(profiles, name)) throw missing(name);
      const { [name]: _, ...rest } = profiles;
      await writeProfiles(path, { current: name === current ? null : current, profiles: rest });
      say(screen.err, `The profile ${name} is removed.`);
      return "ok";
    },
  },
];
