import * as z from "zod";
import { aptosNetworks, networks, suiNetworks } from "./network-names.ts";

export * from "./network-names.ts";

/** The schema of a network of Sui. */
export const suiNetworkSchema = z.enum(suiNetworks);
/** The schema of a network of Aptos. */
export const aptosNetworkSchema = z.enum(aptosNetworks);
/** The schema of a network of either chain. */
export const networkSchema = z.enum(networks);
