import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Null: each property draws its own, and prints it where it fails. */
    seed: number | null;
  }
}

// The same seed in every run: a failure can be run again, and a change is judged by itself.
const seed = inject("seed");
if (seed !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
