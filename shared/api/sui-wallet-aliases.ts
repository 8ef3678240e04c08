import type { ApiContract, MethodContract } from "./contract.ts";
import {
  suiCreateSession,
  suiCreateWallet,
  suiExecuteGasless,
  suiExecuteGaslessBlock,
  suiExportWallet,
  suiGetWallet,
  suiImportWallet,
  suiSignPersonalMessage,
  suiSignTransaction,
  suiSignTransactionBlock,
} from "./sui-wallet.ts";
import { suiExecuteGaslessV2 } from "./sui-wallet-v2.ts";

/** The callers that use a method's name on a path, with the public source of each. */
const callers = {
  /** The in-app wallet API as its vendor announced it, docs.shinami.com/reference/in-app-wallet-api. */
  announced: "the in-app wallet API",
  /**
   * github.com/mirai-labs/shinami-python-sdk, `iaw.py`; the back ends of github.com/shinamicorp/shinami-examples of
   * 2023.
   */
  early: "clients of 2023",
  /**
   * github.com/shinamicorp/shinami-typescript-sdk: npm @shinami/clients 0.2 to 0.9.8, `sui/wallet.ts`. Versions up to
   * 0.9.0 sign messages by the methods of the early clients.
   */
  library: "@shinami/clients",
  /**
   * Clients since July 2026. They read the protobuf JSON of a node, because nodes have given up JSON-RPC:
   * docs.shinami.com/reference/invisible-wallet-api.
   */
  second: "clients of the second version",
  /** No other caller yet. */
  ours: "Gasworks",
} as const;

/** The path of the specification. */
export const SUI_WALLET_PATH = "/wallet/v1";
/** The paths of deployed client libraries. */
export const DEPLOYED_SUI_KEY_PATH = "/sui/key/v1";
/** The path at which deployed clients call wallets. */
export const DEPLOYED_SUI_WALLET_PATH = "/sui/wallet/v1";

/** The second version of that path. Sessions stay with `/sui/key/v1`. */
export const SUI_WALLET_V2_PATH = "/sui/wallet/v2";

type Path = typeof SUI_WALLET_PATH | "/key/v1" | "/sui/key/v1" | "/sui/wallet/v1" | typeof SUI_WALLET_V2_PATH;

/** A contract's name on a path. If `svc` stands in the name, any product's prefix is accepted. */
type WireName = readonly [path: Path, contract: MethodContract, caller: keyof typeof callers];

/** Every name of the Sui wallet methods on every path. Aliases are made only here. */
const suiWalletNames: readonly WireName[] = [
  [SUI_WALLET_PATH, suiCreateSession, "announced"],
  [SUI_WALLET_PATH, suiCreateWallet, "announced"],
  [SUI_WALLET_PATH, suiGetWallet, "announced"],
  [SUI_WALLET_PATH, suiExecuteGasless, "announced"],
  [SUI_WALLET_PATH, suiSignTransaction, "announced"],
  [SUI_WALLET_PATH, suiExecuteGaslessBlock, "early"],
  [SUI_WALLET_PATH, suiSignTransactionBlock, "early"],
  [SUI_WALLET_PATH, suiSignPersonalMessage, "early"],
  [SUI_WALLET_PATH, suiExportWallet, "ours"],
  [SUI_WALLET_PATH, suiImportWallet, "ours"],

  ["/key/v1", suiCreateSession, "early"],

  ["/sui/key/v1", suiCreateSession, "library"],

  ["/sui/wallet/v1", suiCreateWallet, "library"],
  ["/sui/wallet/v1", suiGetWallet, "library"],
  ["/sui/wallet/v1", suiSignTransactionBlock, "library"],
  ["/sui/wallet/v1", suiSignPersonalMessage, "library"],
  ["/sui/wallet/v1", suiExecuteGaslessBlock, "library"],

  [SUI_WALLET_V2_PATH, suiCreateWallet, "second"],
  [SUI_WALLET_V2_PATH, suiGetWallet, "second"],
  [SUI_WALLET_V2_PATH, suiSignTransaction, "second"],
  [SUI_WALLET_V2_PATH, suiSignTransactionBlock, "second"],
  [SUI_WALLET_V2_PATH, suiSignPersonalMessage, "second"],
  [SUI_WALLET_V2_PATH, suiExecuteGaslessV2, "second"],
];

function apiOn(name: string, title: string, path: Path): ApiContract {
  const methods = suiWalletNames.flatMap(([on, contract]) => (on === path ? [contract] : []));
  return { name, title, chain: "sui", path, methods, acceptsAnyPrefix: true };
}

/** One interface for each path of the table. */
export const suiWalletContracts: readonly ApiContract[] = [
  apiOn("sui-wallet", "In-app wallet API (Sui)", SUI_WALLET_PATH),
  apiOn("early-sui-key", "In-app wallet API (Sui): sessions", "/key/v1"),
  apiOn("deployed-sui-key", "Wallet API (Sui) as client libraries speak it: sessions", "/sui/key/v1"),
  apiOn("deployed-sui-wallet", "Wallet API (Sui) as client libraries speak it: wallets", "/sui/wallet/v1"),
  apiOn("sui-wallet-v2", "Wallet API (Sui), version 2", SUI_WALLET_V2_PATH),
];
