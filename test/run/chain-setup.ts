import type { TestProject } from "vitest/node";
import { type Bundle, build, DEVELOPMENT_CHAIN } from "../../shared/cli/build.ts";

declare module "vitest" {
  export interface ProvidedContext {
    chain: Bundle;
  }
}

/** Vitest runs this before it starts the runtime, which needs the chain's bundle as its second Worker. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("chain", await build(DEVELOPMENT_CHAIN));
}
