import { APT_METADATA } from "../address.ts";
import { accountAt, findAccount, keyBytes, rotateKey } from "./account.ts";
import { addressArgument, addresses, amount, amounts, byteVector, type Call, entry, signer, view } from "./function.ts";
import { aptBalance, setAptBalance, transferApt } from "./fungible.ts";
import { ownerOf, transferObject } from "./objects.ts";
import { address, bool, bytes, u64 } from "./values.ts";
import { failedWith, moveAbort } from "./world.ts";

export const APTOS_COIN = "0x1::aptos_coin::AptosCoin";
const ANY = [[]];
const KEY = [["key"]];
const OBJECT = "0x1::object::Object<T0>";

/** APT is the only coin there is: a coin of another type was never initialised. */
function requireAptosCoin({ typeArguments: [type] }: Call): void {
  if (type === APTOS_COIN) return;
  throw moveAbort("0x1::coin", 0x60003n, "ECOIN_INFO_NOT_PUBLISHED", "CoinInfo not published");
}

/** The same for its metadata object. */
function requireAptMetadata(call: Call, index: number): void {
  if (addressArgument(call, index) !== APT_METADATA) throw failedWith("MISSING_DATA");
}

function batchTransfer(call: Call): void {
  const recipients = addresses(call, 0);
  const octas = amounts(call, 1);
  if (recipients.length !== octas.length) {
    throw moveAbort(
      "0x1::aptos_account",
      0x10005n,
      "EMISMATCHING_RECIPIENTS_AND_AMOUNTS_LENGTH",
      "The lengths of the recipients and amounts lists don't match.",
    );
  }
  for (const [index, to] of recipients.entries()) transferApt(call.world, signer(call, 0), to, octas[index] ?? 0n);
}

function transfer(call: Call): void {
  transferApt(call.world, signer(call, 0), addressArgument(call, 0), amount(call, 1));
}

function transferCoins(call: Call): void {
  requireAptosCoin(call);
  transfer(call);
}

/** An address is an account as it is (AIP-115): it gets a store for APT (recorded). */
function createAccount(call: Call): void {
  const created = addressArgument(call, 0);
  if (findAccount(call.world, created) !== undefined) {
    throw moveAbort("0x1::account", 0x80001n, "EACCOUNT_ALREADY_EXISTS", "Account already exists");
  }
  setAptBalance(call.world, created, aptBalance(call.world, created));
}

/** What is called of the framework at 0x1. */
export const FRAMEWORK_FUNCTIONS = [
  entry("0x1::aptos_account", "transfer", ["&signer", "address", "u64"], transfer),
  entry("0x1::aptos_account", "batch_transfer", ["&signer", "vector<address>", "vector<u64>"], batchTransfer),
  entry("0x1::aptos_account", "transfer_coins", ["&signer", "address", "u64"], transferCoins, { generics: ANY }),
  entry("0x1::aptos_account", "create_account", ["address"], createAccount),
  entry("0x1::coin", "transfer", ["&signer", "address", "u64"], transferCoins, { generics: ANY }),
  view(
    "0x1::coin",
    "balance",
    [["address"], ["u64"]],
    // Nobody has anything of a coin that was never initialised.
    (call) => [u64(call.typeArguments[0] === APTOS_COIN ? aptBalance(call.world, addressArgument(call, 0)) : 0n)],
    { generics: ANY },
  ),
  entry(
    "0x1::primary_fungible_store",
    "transfer",
    ["&signer", OBJECT, "address", "u64"],
    (call) => {
      requireAptMetadata(call, 0);
      transferApt(call.world, signer(call, 0), addressArgument(call, 1), amount(call, 2));
    },
    { generics: KEY },
  ),
  view(
    "0x1::primary_fungible_store",
    "balance",
    [["address", OBJECT], ["u64"]],
    (call) => {
      requireAptMetadata(call, 1);
      return [u64(aptBalance(call.world, addressArgument(call, 0)))];
    },
    { generics: KEY },
  ),
  entry(
    "0x1::object",
    "transfer",
    ["&signer", OBJECT, "address"],
    (call) => transferObject(call.world, signer(call, 0), addressArgument(call, 0), addressArgument(call, 1)),
    { generics: KEY },
  ),
  entry("0x1::object", "transfer_call", ["&signer", "address", "address"], (call) =>
    transferObject(call.world, signer(call, 0), addressArgument(call, 0), addressArgument(call, 1)),
  ),
  view(
    "0x1::object",
    "owner",
    [[OBJECT], ["address"]],
    (call) => [address(ownerOf(call.world, addressArgument(call, 0)))],
    { generics: KEY },
  ),
  entry(
    "0x1::account",
    "rotate_authentication_key_call",
    ["&signer", "vector<u8>"],
    (call) => rotateKey(call.world, signer(call, 0), byteVector(call, 0)),
    { visibility: "private" },
  ),
  // An address without the resource is an account all the same (AIP-115).
  view("0x1::account", "exists_at", [["address"], ["bool"]], () => [bool(true)]),
  view("0x1::account", "get_rotation_capability_offer_for", [["address"], ["address"]], () => {
    const why = "The specified rotation capability offer does not exist at the specified offerer address";
    throw moveAbort("0x1::account", 0x60012n, "ENO_SUCH_ROTATION_CAPABILITY_OFFER", why);
  }),
  view("0x1::account", "get_sequence_number", [["address"], ["u64"]], (call) => [
    u64(accountAt(call.world, addressArgument(call, 0)).sequenceNumber),
  ]),
  view("0x1::account", "get_authentication_key", [["address"], ["vector<u8>"]], (call) => [
    bytes(keyBytes(accountAt(call.world, addressArgument(call, 0)))),
  ]),
];

/** Structs by module, as far as a resource of theirs is shown. */
export const FRAMEWORK_STRUCTS: Readonly<Record<string, readonly string[]>> = {
  "0x1::account": ["Account"],
  "0x1::aptos_coin": ["AptosCoin"],
  "0x1::fungible_asset": ["FungibleStore", "Metadata"],
  "0x1::object": ["ObjectCore", "ObjectGroup"],
};
