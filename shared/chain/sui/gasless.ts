import { bcs } from "@mysten/sui/bcs";
import { fromBase64 } from "@mysten/sui/utils";
import type { SuiNetwork } from "../../networks.ts";
import type { InspectedKind } from "./kind.ts";

/**
 * The coin types whose transfers mainnet executes without gas (`gasless_allowed_token_types` of sui-protocol-config,
 * version 140). If the network adds a type, the fund pays for its transfers until the type is listed here.
 */
const MAINNET_COINS: ReadonlySet<string> = new Set([
  "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC",
  "0x44f838219cf67b058f3b37907b655f226153c18e33dfcd0da559a844fea9b1c1::usdsui::USDSUI",
  "0x41d587e5336f1c86cad50d38a7136db99333bb9bda91cea4ba69115defeb1402::sui_usde::SUI_USDE",
  "0x960b531667636f39e85867775f52f6b1f220a058c4de786905bdf761e06a56bb::usdy::USDY",
  "0xf16e6b723f242ec745dfd7634ad072c42d5c1d9ac9d62a39c381303eaa57693a::fdusd::FDUSD",
  "0x2053d08c1e2bd02791056171aab0fd12bd7cd7efad2ab8f6b9c8902f14df2ff2::ausd::AUSD",
  "0xe14726c336e81b32328e92afc37345d159f5b550b09fa92bd43640cfdd0a0cfd::usdb::USDB",
]);

/** SUI is in no list. It is by far the most common coin, so no node is called about it. */
const SUI = `0x${"2".padStart(64, "0")}::sui::SUI`;

const FRAMEWORK = `0x${"2".padStart(64, "0")}`;
/**
 * The functions of the framework that such a transfer may call, each over one coin type (sui-types, `transaction.rs`).
 */
const FUNCTIONS: ReadonlySet<string> = new Set(
  [
    "balance::send_funds",
    "balance::redeem_funds",
    "balance::split",
    "balance::zero",
    "coin::into_balance",
    "coin::redeem_funds",
    "coin::send_funds",
    "coin::put",
    "funds_accumulator::withdrawal_split",
  ].map((name) => `${FRAMEWORK}::${name}`),
);
const BALANCE = new RegExp(`^${FRAMEWORK}::balance::Balance<(.*)>$`);

/** `gasless_max_tx_size_bytes`. The gas data and the expiration take less than the rest of 1 KiB. */
const MAX_KIND_BYTES = 15_360;
/** `gasless_max_pure_input_bytes`. */
const MAX_PURE_BYTES = 32;
/** `gasless_max_unused_inputs` for pure inputs. Every other input must be used. */
const MAX_UNUSED_PURE = 1;

/**
 * Checks whether the network may execute a transaction kind without gas (sui-types, `validate_gasless_transaction`).
 * Such a kind transfers listed coins by a few functions of the framework. A node makes the final decision, because
 * amounts and the types of objects count, too.
 */
export function mayBeGasless({ bytes, moveTargets, funders }: InspectedKind, network: SuiNetwork): boolean {
  if (bytes.length > MAX_KIND_BYTES || funders.length > 0 || moveTargets.length === 0) return false;
  if (!moveTargets.every((target) => FUNCTIONS.has(target))) return false;
  const { ProgrammableTransaction: programmable } = bcs.TransactionKind.parse(bytes);
  if (programmable === undefined) return false;
  const used = new Set<number>();
  for (const command of programmable.commands) {
    const taken = argumentsOf(command, network);
    if (taken === null) return false;
    for (const { Input: input } of taken) if (input !== undefined) used.add(input);
  }
  let unusedPure = 0;
  for (const [place, { Pure: pure, Object: object }] of programmable.inputs.entries()) {
    if (object?.Receiving || object?.SharedObject) return false;
    if (pure !== undefined && fromBase64(pure.bytes).length > MAX_PURE_BYTES) return false;
    if (used.has(place)) continue;
    if (pure === undefined) return false;
    unusedPure += 1;
  }
  return unusedPure <= MAX_UNUSED_PURE;
}

type Command = NonNullable<ReturnType<typeof bcs.TransactionKind.parse>["ProgrammableTransaction"]>["commands"][number];

/** Returns the arguments of a command. Null if the network does not execute such a command without gas. */
function argumentsOf({ MoveCall, SplitCoins, MergeCoins }: Command, network: SuiNetwork) {
  if (SplitCoins) return [SplitCoins.coin, ...SplitCoins.amounts];
  if (MergeCoins) return [MergeCoins.destination, ...MergeCoins.sources];
  if (!MoveCall) return null;
  const { typeArguments, arguments: given, module } = MoveCall;
  const [type] = typeArguments;
  if (type === undefined || typeArguments.length !== 1) return null;
  const coinType = module === "funds_accumulator" ? BALANCE.exec(type)?.[1] : type;
  return coinType !== undefined && isListed(coinType, network) ? given : null;
}

/** Other networks list other coins, which only their nodes know. */
function isListed(coinType: string, network: SuiNetwork): boolean {
  return network === "SUI_MAINNET" ? MAINNET_COINS.has(coinType) : coinType !== SUI;
}
