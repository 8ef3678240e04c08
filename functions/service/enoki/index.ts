import { enoki } from "../../../shared/api/enoki.ts";
import type { RestApi } from "../rest.ts";
import { enoki_createSponsoredTransaction } from "./enoki_createSponsoredTransaction.ts";
import { enoki_executeSponsoredTransaction } from "./enoki_executeSponsoredTransaction.ts";
import { enoki_getApp } from "./enoki_getApp.ts";

/** Sponsored transactions as @mysten/enoki sends them, with their handlers. */
export const enokiApi: RestApi = {
  contract: enoki,
  handlers: [enoki_getApp, enoki_createSponsoredTransaction, enoki_executeSponsoredTransaction],
};
