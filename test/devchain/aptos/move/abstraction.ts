import * as z from "zod";
import { APTOS_DEMO_MODULE } from "../../demo.ts";
import { type Address, displayAddress } from "../address.ts";
import { toHex } from "../hex.ts";
import { addressArgument, byteVector, type Call, entry, signer, text } from "./function.ts";
import { moveAbort, type World } from "./world.ts";

const MODULE = "0x1::account_abstraction";
const AUTHENTICATOR = `${MODULE}::DispatchableAuthenticator`;
const DELEGATE = `${APTOS_DEMO_MODULE}::Delegate`;
/** Modelled, as are the codes of the aborts. */
const AUTHENTICATOR_BYTES = 150;
const DELEGATE_BYTES = 70;

type Reads = Pick<World, "get">;

const FunctionsData = z.object({ functions: z.array(z.string()) });
const DelegateData = z.object({ key: z.string() });

function functionsOf(world: Reads, address: Address): readonly string[] {
  const data = world.get(address, AUTHENTICATOR)?.resources[AUTHENTICATOR];
  return data === undefined ? [] : FunctionsData.parse(data).functions;
}

/** Whether an account lets this function judge its signatures. */
export function hasAuthenticator(world: Reads, address: Address, functionInfo: string): boolean {
  return functionsOf(world, address).includes(functionInfo);
}

/** The key that may sign for an account by `demo::authenticate`, `0x` and hex. */
export function delegateKey(world: Reads, address: Address): string | undefined {
  const data = world.get(address, DELEGATE)?.resources[DELEGATE];
  return data === undefined ? undefined : DelegateData.parse(data).key;
}

function add(call: Call): void {
  const account = signer(call, 0);
  const info = `${displayAddress(addressArgument(call, 0))}::${text(call, 1)}::${text(call, 2)}`;
  if (info !== `${APTOS_DEMO_MODULE}::authenticate`)
    throw moveAbort(MODULE, 0x10003n, "EAUTH_FUNCTION_SIGNATURE_MISMATCH", "The function has another signature");
  const known = functionsOf(call.world, account);
  if (known.includes(info))
    throw moveAbort(MODULE, 0x80001n, "EFUNCTION_INFO_EXISTENCE", "The function info is there already");
  call.world.put(account, AUTHENTICATOR, { [AUTHENTICATOR]: { functions: [...known, info] } }, AUTHENTICATOR_BYTES);
}

function remove(call: Call): void {
  const account = signer(call, 0);
  if (functionsOf(call.world, account).length === 0)
    throw moveAbort(MODULE, 0x60002n, "EDISPATCHABLE_AUTHENTICATOR_IS_NOT_USED", "No function is used");
  call.world.remove(account, AUTHENTICATOR);
}

function delegate(call: Call): void {
  const key = `0x${toHex(byteVector(call, 0))}`;
  call.world.put(signer(call, 0), DELEGATE, { [DELEGATE]: { key } }, DELEGATE_BYTES);
}

/** Of the framework and of the demo module: what makes an account abstracted, and with whose key. */
export const ABSTRACTION_FUNCTIONS = [
  entry(
    MODULE,
    "add_authentication_function",
    ["&signer", "address", "0x1::string::String", "0x1::string::String"],
    add,
  ),
  entry(MODULE, "remove_authenticator", ["&signer"], remove),
  entry(APTOS_DEMO_MODULE, "delegate", ["&signer", "vector<u8>"], delegate),
];
