// The package has a file of the same exports in this place, which `shared/cli/pack/clients.ts` writes from the
// contracts. So it needs no schemas.

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
