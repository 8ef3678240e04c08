import { Account, Aptos, AptosConfig, Ed25519PrivateKey, Network } from "@aptos-labs/ts-sdk";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { UnexpectedAnswer } from "../../shared/cli/client/http.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";

/** What leaves a key at most. Amounts are MIST or octas. */
export interface Stake {
  /** What the story's fund gets. All but what was paid for gas comes back. */
  readonly depositAtoms: bigint;
  /** What the deposit's own gas may cost. */
  readonly gasAtoms: bigint;
  /** What may stay in the fund: it cannot pay for its own way back. */
  readonly leftAtoms: bigint;
}

export const STAKES: Readonly<Record<Chain, Stake>> = {
  Sui: { depositAtoms: 300_000_000n, gasAtoms: 10_000_000n, leftAtoms: 10_000_000n },
  Aptos: { depositAtoms: 10_000_000n, gasAtoms: 3_000_000n, leftAtoms: 2_000_000n },
};
const APTOS_GAS_UNITS = 20_000n;

/** The funded key of a person who checks a node. No text of it is printed. */
export interface Purse {
  readonly address: string;
  /** What it owns, as the node shows it. */
  balance(): Promise<bigint>;
  /**
   * Pays, at the stake's gas at most. Resolves once the node shows it.
   *
   * @param sending called before the transaction goes out: from then on it may be executed, whatever is thrown.
   * @throws UnexpectedAnswer if it failed.
   */
  pay(to: string, atoms: bigint, sending: () => Promise<void>): Promise<void>;
}

/** Returns a client of the stock SDK at a node. */
export const suiAt = (url: string) => new SuiGrpcClient({ network: "localnet", baseUrl: url });

/** Returns a client of the stock SDK at a node. */
export const aptosAt = (url: string) => new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: url }));

/**
 * Opens a key: `suiprivkey1…` of an Ed25519 key, or `ed25519-priv-0x…`. Null if the text is no such key.
 *
 * @param url of a node of the chain.
 */
export function purseOf(chain: Chain, key: string, url: string): Purse | null {
  try {
    return chain === "Sui" ? suiPurse(Ed25519Keypair.fromSecretKey(key), url) : aptosPurse(key, url);
  } catch {
    // The error's text may quote the key.
    return null;
  }
}

function suiPurse(keypair: Ed25519Keypair, url: string): Purse {
  const sui = suiAt(url);
  const address = keypair.toSuiAddress();
  return {
    address,
    balance: async () => BigInt((await sui.getBalance({ owner: address })).balance.balance),
    async pay(to, atoms, sending) {
      const transaction = new Transaction();
      transaction.setSender(address);
      transaction.setGasBudget(STAKES.Sui.gasAtoms);
      transaction.transferObjects([transaction.splitCoins(transaction.gas, [atoms])], to);
      const bytes = await transaction.build({ client: sui });
      const { signature } = await keypair.signTransaction(bytes);
      await sending();
      const result = await sui.executeTransaction({ transaction: bytes, signatures: [signature] });
      const { digest, status } = result.$kind === "Transaction" ? result.Transaction : result.FailedTransaction;
      if (!status.success) throw new UnexpectedAnswer(`the deposit ${digest} has failed on chain`);
      await sui.waitForTransaction({ digest });
    },
  };
}

function aptosPurse(key: string, url: string): Purse {
  const account = Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(key, false) });
  const aptos = aptosAt(url);
  const { accountAddress } = account;
  return {
    address: accountAddress.toStringLong(),
    balance: async () => BigInt(await aptos.getAccountAPTAmount({ accountAddress })),
    async pay(to, atoms, sending) {
      const { gas_estimate: gasUnitPrice } = await aptos.getGasPriceEstimation();
      if (BigInt(gasUnitPrice) * APTOS_GAS_UNITS > STAKES.Aptos.gasAtoms)
        throw new UnexpectedAnswer(`gas costs ${gasUnitPrice} octas a unit now, which is more than the stated bound`);
      const transaction = await aptos.transaction.build.simple({
        sender: accountAddress,
        data: { function: "0x1::aptos_account::transfer", functionArguments: [to, atoms] },
        options: { maxGasAmount: Number(APTOS_GAS_UNITS), gasUnitPrice },
      });
      await sending();
      const { hash } = await aptos.signAndSubmitTransaction({ signer: account, transaction });
      await aptos.waitForTransaction({ transactionHash: hash });
    },
  };
}
