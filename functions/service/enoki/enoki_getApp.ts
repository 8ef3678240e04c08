import { enokiGetApp } from "../../../shared/api/enoki.ts";
import { done } from "../../../shared/errors.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";

/** Answers any admitted key with an app that has no origins, no providers and no domains. */
export const enoki_getApp = fundHandler(enokiGetApp, async () =>
  done({ allowedOrigins: [], authenticationProviders: [], domains: [] }),
);
