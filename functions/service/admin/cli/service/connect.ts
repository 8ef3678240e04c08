import { isConfidential } from "../../../../../shared/cli/admin-address.ts";
import type { AdminAccess } from "../../../../../shared/cli/client/admin.ts";
import { type Call, textOf } from "../command.ts";
import { CommandError } from "../exit-codes.ts";
import type { Connected, Session } from "../session.ts";
import { type Profile, profilesPath, readProfiles } from "./profiles.ts";
import { Service } from "./service.ts";

const MS_PER_SECOND = 1_000;
const MOST_SECONDS = 3_600;

const NO_SERVICE = `no service is named. Do one of these:
  gasworks login --local                   for the service of npm start in this clone
  gasworks login --url https://…           for a deployment: it asks for the token
  GASWORKS_URL=… GASWORKS_TOKEN=… gasworks …`;

/** The characters that a header can carry as they are. */
const TOKEN_CHARACTERS = /^[\x20-\x7e]+$/;

/** Returns the access of a profile. @throws CommandError if a header or the way to the URL is unfit for the token. */
export function accessOf({ url, token }: Profile): AdminAccess {
  if (!isConfidential(url))
    throw new CommandError(
      "usage",
      `${url} is neither https nor this machine, so the token is not sent: use an https URL`,
    );
  const adminToken = token.trim();
  // The platform's own error would print the token.
  if (!TOKEN_CHARACTERS.test(adminToken))
    throw new CommandError("usage", "the token is not a single line of ASCII characters: copy it again");
  return { serviceUrl: url.replace(/\/+$/, ""), adminToken };
}

/**
 * Returns the profile of a call: by `--profile`, then GASWORKS_URL with GASWORKS_TOKEN, then GASWORKS_PROFILE, then the
 * current one. The token of one source is never sent to the URL of another.
 */
async function chosenProfile({ env }: Session, named: string | undefined): Promise<Profile> {
  const { GASWORKS_URL: url = "", GASWORKS_TOKEN: token = "" } = env;
  if (named === undefined && (url !== "" || token !== "")) {
    if (url !== "" && token !== "") return { url, token };
    throw new CommandError("usage", `GASWORKS_${url === "" ? "URL" : "TOKEN"} is missing: set both, or neither`);
  }
  const path = profilesPath(env);
  const { current, profiles } = await readProfiles(path);
  const name = named ?? (env.GASWORKS_PROFILE || current);
  if (name === null || name === undefined) throw new CommandError("usage", NO_SERVICE);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) throw new CommandError("usage", `${path} has no profile ${name}: gasworks profile list`);
  return profile;
}

/** Returns the time limit of a call. */
function timeoutMsOf(call: Call): number | undefined {
  const text = textOf(call, "timeout");
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds * MS_PER_SECOND;
  throw new CommandError("usage", `--timeout: must be more than 0 and at most ${MOST_SECONDS} seconds`);
}

/** Returns the session with the service that the call names. Nothing is sent yet. */
export async function connect(session: Session, call: Call, usualTimeoutMs?: number): Promise<Connected> {
  const timeoutMs = timeoutMsOf(call) ?? usualTimeoutMs;
  const access = accessOf(await chosenProfile(session, textOf(call, "profile")));
  return { ...session, service: new Service(access, session.clock, timeoutMs) };
}
