import { PROJECT_MOVED, type Refusal, refuse } from "../../errors.ts";
import type { Failure } from "../../result.ts";

/** The text of a project that has left. An object's error crosses to its caller as this text alone. */
const MOVED = /^this project has moved to (.*): send the call there$/s;

/** Refuses a call to a project that has left this service. */
export function refuseMoved(destination: string): Failure<Refusal> {
  return refuse("project_moved", `this project has moved to ${destination}: send the call there`, { destination });
}

/** Refuses a call to a project that has not arrived whole at this service. */
export function refuseArriving(): Failure<Refusal> {
  return refuse("project_moved", "this project is still arriving here: repeat the call in a moment");
}

/** Returns the refusal as an error. `refusalOfMoved` reads it. */
export function movedError({ details }: Refusal): Error {
  return new Error(`${PROJECT_MOVED}: ${details}`);
}

/** Returns the refusal of an object whose project has moved or is arriving. Null for any other error. */
export function refusalOfMoved(error: unknown): Refusal | null {
  if (!(error instanceof Error) || !error.message.startsWith(PROJECT_MOVED)) return null;
  const details = error.message.slice(PROJECT_MOVED.length).replace(/^: /, "");
  const destination = MOVED.exec(details)?.[1];
  return destination === undefined ? { reason: "project_moved", details } : refuseMoved(destination).error;
}
