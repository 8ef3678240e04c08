import type { ChainEnv } from "./chain.ts";

export { Chain } from "./chain.ts";

/** The development chain as a Worker: every request goes to the one object that holds the chain. */
export default {
  fetch: (request, env) => env.CHAIN.getByName("chain").fetch(request),
} satisfies ExportedHandler<ChainEnv>;
