import { executedByWallet, senderAuthenticator, sponsoredRawTransaction } from "./aptos-gas-examples.ts";
import { executeExample, prepareExample } from "./sui-gas-examples.ts";

/**
 * The example of the gas documents, with the sender as a wallet. It has the key pair of the seed 0x01…. The sender on
 * Aptos has the same key pair.
 */
const walletId = "user-1";
const secret = "nL0mX3YJt1vKq8sWc5RzHd2oQf7uEiGpTb9yVaNxk4A";
const sessionToken = "ivs_AQFpnqi_tiWMHhYC6X5hjGCA2AzhxsMLyqw8QOt7bpkQDVfWOci";

const [kind, suiAddress, gasBudget] = prepareExample.params;
const [, suiSignature] = executeExample.params;
const { txBytes, txDigest } = prepareExample.result;

/** "Sign in to the demo app". */
const personalMessage = "U2lnbiBpbiB0byB0aGUgZGVtbyBhcHA=";
const personalMessageSignature =
  "AN3NOJVJlpMbdsUrxRwq0cWFkYd7HyoWAp+dVR+f20mAoVx3/995dz+tTuvcDzXKyEDU41UA9+OGWKZZWkc77AKKiOPddAnxlf1S2y08ul1yymcJvx2UEhvzdIgBtA9vXA==";

const accountAddress = "0x7df415e5b21bdaa8b2946e8f1f4278b39904e51a69627494cd3e6f2996732fbd";
/** A call of `0x1::aptos_account::transfer` of 0.01 APT on the chain with the id 2. */
const rawTransaction =
  "0x7df415e5b21bdaa8b2946e8f1f4278b39904e51a69627494cd3e6f2996732fbd00000000000000000200000000000000000000000000000000000000000000000000000000000000010d6170746f735f6163636f756e74087472616e73666572000220b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b00840420f0000000000d007000000000000640000000000000000b33f710000000002";
const authenticator = senderAuthenticator(
  "0xe112aea7abc732a4695037d08b02b19ea98f706e3be1149c0b4a8b743c1421ae4c04a35384ff96f92cd3fd1f96b9307b7b52284e285d7baae81055194b246001",
);

/** The same key on both chains, exported from a project that derives secrets by scrypt. */
const exported = {
  format: "gasworks-wallet-export",
  version: 1,
  publicKey: "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c",
  projectId: "prj_5f0c8b1e9a7d42630b6e",
  walletId,
  derivation: "scrypt",
  derivationSalt: "9465bcaaa71fe23c6b8181385ee8b14f1477c31d88de4ec8773835b998b24b57",
};
const suiExport = {
  ...exported,
  chain: "sui",
  address: suiAddress,
  walletSalt: "61c78614fff1a8e0e81dae41dd8be024006826f45cbd100bd1351b41daec615e",
  innerLayer:
    "02b80341fd9276453d0d868ee450aabe00c281935419c9b3fc2814d060bd36224b5f60d576f4520434a03176b4365ac9253f249c92ae4ba3475e316724d353b2e6b1d1110301569637dc4ce2d5307603926bc7e9b97f264b60263552f4dc4902bb04f04fa5da7dda2220e1647f",
};
const aptosExport = {
  ...exported,
  chain: "aptos",
  address: accountAddress,
  walletSalt: "62c7dc8f1a13972d49e0a2e795c78f2f337851b44502902725cbea93a83153e3",
  innerLayer:
    "02b98e9bc96d7857fd7fa8a72b45ffb4841b19002ef1797251893508c48fabc6b306d40ced07cd167c590e6ac9018afc952369859de59f16c829b9a4ad4f068ff74160c5addc6639e0b803d30f796257e93d1ffacb57c4af61a2117c4026b8d3a486504011324fa1051aaeda34",
};

/** The example of the creation of a session. */
export const createSessionExample = { params: [secret], result: sessionToken };

/** The example of the creation of a wallet on Sui. */
export const suiCreateWalletExample = { params: [walletId, sessionToken], result: suiAddress };
/** The example of the look-up of a wallet on Sui. */
export const suiGetWalletExample = { params: [walletId], result: suiAddress };
/** The example of `svc_wal_signTransaction`. */
export const suiSignTransactionExample = { params: [walletId, sessionToken, txBytes], result: suiSignature };

/** The example of an export on Sui. */
export const suiExportWalletExample = { params: [walletId, sessionToken], result: suiExport };
/** The example of an import on Sui. */
export const suiImportWalletExample = { params: [walletId, secret, suiExport], result: suiAddress };
/** The example of `svc_wal_signTransactionBlock`. */
export const suiSignTransactionBlockExample = {
  params: [walletId, sessionToken, txBytes],
  result: { signature: suiSignature, txDigest },
};
/** The example of `svc_wal_executeGaslessTransaction`. */
export const suiExecuteGaslessExample = {
  params: [walletId, sessionToken, kind, gasBudget, "WaitForEffectsCert"],
  result: executeExample.result,
};
/** The example of `svc_wal_executeGaslessTransactionBlock`. */
export const suiExecuteGaslessBlockExample = {
  params: [walletId, sessionToken, kind, gasBudget, { showEffects: true, showEvents: true }, "WaitForEffectsCert"],
  result: { digest: txDigest, effects: executeExample.result.effects, events: executeExample.result.events },
};
/** The example of `svc_wal_executeGaslessTransaction` on `/sui/wallet/v2`. */
export const suiExecuteGaslessV2Example = {
  params: [walletId, sessionToken, kind, gasBudget, "1000", "digest,effects.status"],
  result: { transaction: { digest: txDigest, effects: { status: { success: true } } } },
};
/** The example of `svc_wal_signPersonalMessage`. */
export const suiSignPersonalMessageExample = {
  params: [walletId, sessionToken, personalMessage, true],
  result: personalMessageSignature,
};

/** The example of `wal_createWallet`. */
export const aptosCreateWalletExample = { params: [walletId, sessionToken], result: { accountAddress } };
/** The example of `wal_getWallet`. */
export const aptosGetWalletExample = { params: [walletId], result: { accountAddress } };
/** The example of `wal_signTransaction`. */
export const aptosSignTransactionExample = {
  params: [walletId, sessionToken, rawTransaction],
  result: { signature: authenticator },
};
/** The example of `wal_executeGaslessTransaction`. */
export const aptosExecuteGaslessExample = {
  params: [walletId, sessionToken, sponsoredRawTransaction, []],
  result: executedByWallet,
};
/** The example of `wal_exportWallet`. */
export const aptosExportWalletExample = { params: [walletId, sessionToken], result: aptosExport };
/** The example of `wal_importWallet`. */
export const aptosImportWalletExample = { params: [walletId, secret, aptosExport], result: { accountAddress } };
