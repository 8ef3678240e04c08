import type { Route } from "../../route/route.ts";
import { routes } from "../../routes.ts";
import type { Command } from "../command.ts";
import { presets, type Verb, verbs } from "../verbs.ts";
import { verifyCommand } from "./audit-verify.ts";
import { completionCommand } from "./completion.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { loginCommand } from "./login.ts";
import { moveCommands } from "./move-project.ts";
import { profileCommands } from "./profiles.ts";
import { type RouteVerb, routeCommand } from "./route-command.ts";
import { twoRoutesCommand } from "./two-routes.ts";

/** Returns the name of a route in the table of verbs. */
export function routeName({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path}`;
}

function routeVerb(route: Route, { name, columns = [], danger, note, follow, isOfAllProjects }: Verb): RouteVerb {
  const { summary } = route;
  return {
    route,
    name,
    summary,
    columns,
    preset: {},
    danger: danger ?? null,
    note: note ?? null,
    follow: follow ?? null,
    isOfAllProjects: isOfAllProjects === true,
  };
}

/** Returns the routes that a verb calls, without those that have a command of their own. */
function routeVerbs(): readonly RouteVerb[] {
  return Object.entries(verbs).flatMap(([name, verb]) =>
    verb.hasOwnCommand
      ? []
      : routes.filter((route) => routeName(route) === name).map((route) => routeVerb(route, verb)),
  );
}

function presetVerbs(): readonly RouteVerb[] {
  return presets.flatMap(({ name, route: wanted, summary, body, danger }) =>
    routes
      .filter((route) => routeName(route) === wanted)
      .map((route) => ({
        route,
        name,
        summary,
        columns: [],
        preset: body,
        danger: danger ?? null,
        note: null,
        follow: null,
        isOfAllProjects: false,
      })),
  );
}

function commandOf(named: readonly RouteVerb[]): readonly Command[] {
  const [first, second] = named;
  if (first === undefined) return [];
  return [second === undefined ? routeCommand(first) : twoRoutesCommand(first, second)];
}

/** The commands that are more than one call. */
const ownCommands: readonly Command[] = [
  explainCommand,
  doctorCommand,
  verifyCommand,
  ...moveCommands,
  loginCommand,
  ...profileCommands,
  completionCommand(() => allCommands()),
];

/** Returns every command, in the order of the table. */
export function allCommands(): readonly Command[] {
  const byName = Map.groupBy([...routeVerbs(), ...presetVerbs()], ({ name }) => name);
  return [...[...byName.values()].flatMap(commandOf), ...ownCommands];
}
