import { chainOf, type Network } from "../../../shared/network-names.ts";

/** A Sui transaction without inputs and commands, in base64. */
const EMPTY_KIND = "AAAA";
const ANY_SENDER = `0x${"1".repeat(64)}`;
const KEY_PLACE = "YOUR_ACCESS_KEY";

/** Returns a call that sponsors something harmless. Null on Aptos, where only a user's own transaction can be sent. */
export function exampleCall(origin: string, network: Network, secret: string | null): string | null {
  if (chainOf(network) === "aptos") return null;
  const params = JSON.stringify([EMPTY_KIND, ANY_SENDER]);
  return `curl -s ${origin}/sui/gas/v1 \\
  -H 'X-Api-Key: ${secret ?? KEY_PLACE}' -H 'Content-Type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"gas_sponsorTransactionBlock","params":${params}}'`;
}

/** The amount that the faucet of a development chain pays: a tenth of a coin, in base units. */
const FAUCET_AMOUNTS = { sui: "100000000", aptos: "10000000" } as const;
const DEVELOPMENT_CHAIN = { sui: "/sui", aptos: "/aptos/v1" } as const;

/**
 * Returns a call of the faucet of the development chain, which `npm start` runs. Null on any other network, and for any
 * other node.
 */
export function faucetCall(network: Network, node: string | undefined, address: string): string | null {
  const chain = chainOf(network);
  const url = node === undefined || !network.endsWith("_LOCALNET") ? null : URL.parse(node);
  if (url === null || url.pathname !== DEVELOPMENT_CHAIN[chain]) return null;
  const order = JSON.stringify({ network, address, amount: FAUCET_AMOUNTS[chain] });
  return `curl -s ${url.origin}/faucet -H 'Content-Type: application/json' \\
  -d '${order}'`;
}

const SUI_CODE = `import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";

const tx = new Transaction();
tx.moveCall({ target: "0x…::your_module::your_function" });
const kind = toBase64(await tx.build({ onlyTransactionKind: true }));

const { txBytes, signature } = await rpc("gas_sponsorTransactionBlock", [kind, sender]);
const user = await keypair.signTransaction(fromBase64(txBytes));
await sui.executeTransaction({
  transaction: fromBase64(txBytes),
  signatures: [user.signature, signature],
});`;

const APTOS_CODE = `const transaction = await aptos.transaction.build.simple({
  sender, withFeePayer: true,
  data: { function: "0x…::your_module::your_function", functionArguments: [] },
});
const userSigned = aptos.transaction.sign({ signer, transaction });
await rpc("gas_sponsorAndSubmitSignedTransaction", [
  transaction.rawTransaction.bcsToHex().toString(),
  userSigned.bcsToHex().toString(),
]);`;

/** Returns code for an app's back end, which does the same. */
export function exampleCode(origin: string, network: Network): string {
  const isSui = chainOf(network) === "sui";
  const path = isSui ? "/sui/gas/v1" : "/aptos/gas/v1";
  const rpc = `const rpc = async (method, params) => {
  const response = await fetch("${origin}${path}", {
    method: "POST",
    headers: { "X-Api-Key": process.env.ACCESS_KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
};`;
  return `${rpc}\n\n${isSui ? SUI_CODE : APTOS_CODE}`;
}
