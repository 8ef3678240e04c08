// A file with the same exports replaces this one in the package. `shared/cli/pack/clients.ts` writes it from the
// contracts, so that the package needs no schemas.

export { type AptosGasClient, createAptosGasClient, createSuiGasClient, type SuiGasClient } from "../gas-client.ts";
export {
  type AptosWalletClient,
  createAptosWalletClient,
  createDeployedSuiWalletClient,
  createSuiWalletClient,
  createSuiWalletV2Client,
  type DeployedSuiWalletClient,
  type SuiWalletClient,
  type SuiWalletV2Client,
} from "../wallet-client.ts";
