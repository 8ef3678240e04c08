import { join } from "node:path";
import { root } from "../../../../../shared/cli/root.ts";
import { readSecrets } from "../../../../../shared/cli/secrets.ts";
import { type Call, type Command, isOn, ownFlag, textOf } from "../command.ts";
import { CommandError, type Exit } from "../exit-codes.ts";
import { usageError } from "../parse.ts";
import { accessOf } from "../service/connect.ts";
import { type Profile, profileName, profilesPath, readProfiles, writeProfiles } from "../service/profiles.ts";
import { Service } from "../service/service.ts";
import type { Session } from "../session.ts";
import { inert } from "../terminal/inert.ts";
import { say } from "../terminal/screen.ts";

const DEFAULT_NAME = "default";
const LOCAL_NAME = "local";
const LOCAL_PORT = "8787";

/** Returns the service of `npm start` in this clone, and its token from `.dev.vars`. */
async function localProfile({ env }: Session): Promise<Profile> {
  const path = join(root, ".dev.vars");
  const token = (await readSecrets(path))?.ADMIN_TOKEN ?? "";
  if (token === "") throw new CommandError("usage", `${path} has no ADMIN_TOKEN yet: run npm start once`);
  return { url: `http://127.0.0.1:${env.PORT || LOCAL_PORT}`, token };
}

/** Asks for the token. The terminal does not show it, and no other process sees it among the arguments. */
async function askedProfile(call: Call, { screen }: Session): Promise<Profile> {
  const url = textOf(call, "url") ?? (screen.isInteractive ? await screen.ask("URL of the service: ") : undefined);
  if (url === undefined) throw usageError("--url is missing", loginCommand);
  if (!URL.canParse(url)) throw usageError(`--url: ${inert(url)} is no URL`, loginCommand);
  const typed = screen.isInteractive ? await screen.askSecret("Token (not shown): ") : await screen.readInput();
  const token = typed.trim();
  if (token === "") throw usageError("no token was given: type it, or send it on the standard input", loginCommand);
  return { url: url.trim(), token };
}

async function login(call: Call, session: Session): Promise<Exit> {
  const isLocal = isOn(call, "local");
  const name = profileName.safeParse(textOf(call, "profile") ?? (isLocal ? LOCAL_NAME : DEFAULT_NAME));
  if (!name.success) throw usageError(`--profile: ${name.error.issues[0]?.message}`, loginCommand);
  const path = profilesPath(session.env);
  const known = await readProfiles(path);
  const profile = isLocal ? await localProfile(session) : await askedProfile(call, session);
  const service = new Service(accessOf(profile), session.clock);
  // A wrong token is not kept.
  await service.call({ method: "GET", path: "/projects", query: { limit: "1" } });
  await writeProfiles(path, { current: name.data, profiles: { ...known.profiles, [name.data]: profile } });
  say(session.screen.err, `The profile ${name.data} for ${service.url} is kept in ${path}, and is the current one.`);
  return "ok";
}

/** Keeps the URL and the token of a service in a profile. */
export const loginCommand: Command = {
  name: "login",
  summary: "Keep the URL and the token of a service as a profile. It asks for the token",
  positionals: [],
  flags: [
    ownFlag("url", "url", "the address of the service"),
    ownFlag("local", "", "the service of npm start in this clone, with its token from .dev.vars"),
    ownFlag("profile", "name", `the name of the profile: ${DEFAULT_NAME}, or ${LOCAL_NAME} with --local, unless given`),
  ],
  notes: [
    "The token is read without echo, or from the standard input if that is no terminal. It is never an argument.",
  ],
  run: login,
};
