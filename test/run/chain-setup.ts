import type { TestProject } from "vitest/node";
import { type Bundle, build, buildExamplePage, DEVELOPMENT_CHAIN } from "../../shared/cli/build.ts";

declare module "vitest" {
  export interface ProvidedContext {
    chain: Bundle;
  }
}

/** Vitest runs this before it starts the runtime, which needs the chain's bundle as its second Worker. */
export default async function setup(project: TestProject): Promise<void> {
  const [chain] = await Promise.all([build(DEVELOPMENT_CHAIN), buildExamplePage()]);
  project.provide("chain", chain);
}
