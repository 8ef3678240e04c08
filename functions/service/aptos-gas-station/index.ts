import { aptosGasStation } from "../../../shared/api/aptos-gas-station.ts";
import type { RestApi } from "../rest.ts";
import { gs_signAndSubmit } from "./gs_signAndSubmit.ts";

/** The gas station of the Aptos SDK's submitters, with its handlers. */
export const aptosGasStationApi: RestApi = { contract: aptosGasStation, handlers: [gs_signAndSubmit] };
