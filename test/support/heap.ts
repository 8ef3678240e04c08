import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as z from "zod";

setFlagsFromString("--expose_gc");
const collect = z.custom<() => void>((value) => typeof value === "function").parse(runInNewContext("gc"));

/** What is in use once everything that nobody holds is gone. */
export function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
