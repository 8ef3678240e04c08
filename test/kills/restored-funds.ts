import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { aptosSponsorTransaction } from "../../shared/api/aptos-gas.ts";
import { refreshPast } from "../../shared/cli/client/admin.ts";
import { createFundInProject, type ProjectFund } from "../../shared/cli/client/funds.ts";
import { APTOS_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import { createRpcClient, type Reply } from "../../shared/client/rpc-client.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import type { SelfHosted } from "../harness/self-hosted.ts";
import { assembleDraft, draftOf, newUser, submitToAptos } from "../support/aptos-chain.ts";
import { faucetIntoBalance } from "../support/faucet.ts";
import { openAptosBooks } from "./aged-funds.ts";
import { type Books, suiOf } from "./books.ts";
import { GAS_BUDGET_MIST } from "./callers.ts";
import { newGas, openBooks } from "./fixture.ts";

const SUI_MIST = 1_000_000_000n;
const DEPOSIT_MIST = 20n * SUI_MIST;
const TTL_SECONDS = 1_800n;
const MAX_GAS_UNITS = 20_000n;

/** A sponsorship that all have signed, and that nobody has submitted yet. */
export interface HeldSignature {
  /** Submits it to the chain, without the service. False if the chain refuses it. */
  submit(): Promise<boolean>;
}

/** A fund of any kind, as a test of restored copies needs it. */
export interface RestorableFund {
  readonly name: string;
  /** How the paths of its chain begin. */
  readonly prefix: "/sui" | "/aptos";
  readonly fund: ProjectFund;
  readonly withdrawnAtoms: bigint;
  /** Sponsors something. @param aheadMs how far ahead the clock of the chain is. */
  hold(aheadMs?: number): Promise<HeldSignature>;
  /** What an address owns on the chain. */
  ownedBy(address: string): Promise<bigint>;
}

function granted<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(JSON.stringify(reply.error));
  return reply.value;
}

function restorableSui(name: string, books: Books): RestorableFund {
  let badges = 0;
  return {
    name,
    prefix: "/sui",
    fund: books.fund,
    withdrawnAtoms: SUI_MIST,
    async hold() {
      const user = new Ed25519Keypair();
      badges += 1;
      const transaction = new Transaction();
      const badge = transaction.pure.string(`badge ${badges}`);
      transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [badge] });
      const transactionBytes = await transaction.build({ onlyTransactionKind: true });
      const params = { transactionBytes, sender: user.toSuiAddress(), gasBudget: GAS_BUDGET_MIST };
      const { txBytes, signature } = granted(await books.gas.sponsorTransactionBlock(params));
      const signatures = [(await user.signTransaction(txBytes)).signature, signature];
      return {
        submit: () =>
          books.sui.executeTransaction({ transaction: txBytes, signatures }).then(
            ({ $kind }) => $kind === "Transaction",
            () => false,
          ),
      };
    },
    ownedBy: (address) => suiOf(books, address),
  };
}

/** A Sui fund of coins, one of an address balance, and an Aptos fund, all with money. */
export async function openRestorable(hosted: SelfHosted): Promise<readonly RestorableFund[]> {
  const coins = await openBooks(hosted, "coins", [DEPOSIT_MIST, DEPOSIT_MIST]);
  const fund = await createFundInProject(hosted, "balance", { mode: "address_balance" });
  await faucetIntoBalance(hosted.chainUrl, fund.depositAddress, DEPOSIT_MIST);
  await refreshPast(hosted, fund.fundId, 0n);
  const { gas } = await newGas(hosted, fund, "balance");
  const sui = new SuiGrpcClient({ network: "localnet", baseUrl: `${hosted.chainUrl}/sui` });
  const balance: Books = { access: hosted, fund, gas, sui };
  return [
    restorableSui("coins", coins),
    restorableSui("balance", balance),
    await openAptos(hosted, coins.fund.projectId),
  ];
}

async function openAptos(hosted: SelfHosted, projectId: string): Promise<RestorableFund> {
  const { fund, accessKey, aptos } = await openAptosBooks(hosted, projectId, "aptos");
  const sponsor = createRpcClient(APTOS_GAS_PATH, { baseUrl: hosted.serviceUrl, accessKey })(aptosSponsorTransaction);
  return {
    name: "aptos",
    prefix: "/aptos",
    fund,
    withdrawnAtoms: 1_000_000n,
    async hold(aheadMs = 0) {
      const expirationSecs = BigInt(Math.floor((Date.now() + aheadMs) / 1_000)) + TTL_SECONDS;
      const draft = draftOf(newUser(), { maxGasUnits: MAX_GAS_UNITS, expirationSecs });
      const { feePayer } = granted(await sponsor({ rawTransaction: draft.rawTransaction }));
      const signed = assembleDraft(draft, fund.depositAddress, feePayer.signature);
      return {
        submit: async () => (await submitToAptos(signed, `${hosted.chainUrl}/aptos/v1`)) === "accepted",
      };
    },
    ownedBy: async (accountAddress) => BigInt(await aptos.getAccountAPTAmount({ accountAddress })),
  };
}
