import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import type { TestProject } from "vitest/node";
import { type Bundle, build, DEVELOPMENT_CHAIN } from "../../shared/cli/build.ts";

declare module "vitest" {
  export interface ProvidedContext {
    chain: Bundle;
  }
}

/** A young generation of this size is collected less often. The runtimes need a twentieth less CPU. */
const V8_FLAGS = "--min-semi-space-size=32 --max-semi-space-size=64";

/** Vitest runs this before it starts the runtime, which needs the chain's bundle as its second Worker. */
export default async function setup(project: TestProject): Promise<void> {
  leaveSocketsUncompressed();
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= V8_FLAGS;
  project.provide("chain", await build(DEVELOPMENT_CHAIN));
}

/**
 * Keeps the sockets to the runtimes from being compressed. Each module and each event of a test comes over one, on this
 * machine, and compressing them takes a third of this process.
 */
function leaveSocketsUncompressed(): void {
  subscribe("http.client.request.created", (message) => {
    const { request } = message as { request: ClientRequest };
    request.removeHeader("Sec-WebSocket-Extensions");
  });
}
