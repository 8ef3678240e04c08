import { expect, test } from "vitest";
import { build } from "../../shared/cli/build.ts";
import { BUILDS_OF_TESTS } from "./builds.ts";

/** A build replaces files of the service. A new export of such a file breaks it, and the bench alone would show that. */
test.for(BUILDS_OF_TESTS.map((sources) => [sources.name, sources] as const))(
  "the build %s of tests and benches bundles",
  async ([name, sources]) => {
    expect((await build(sources)).worker).toBe(name);
  },
);
