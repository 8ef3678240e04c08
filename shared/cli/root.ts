import { resolve } from "node:path";

/** The repository's own directory. */
export const root = resolve(import.meta.dirname, "../..");
