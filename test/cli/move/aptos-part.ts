import { expect } from "vitest";
import * as z from "zod";
import { aptosSponsorAndSubmit, aptosSponsorTransaction } from "../../../shared/api/aptos-gas.ts";
import { APTOS_NETWORK, adminCall, createKey } from "../../../shared/cli/client/admin.ts";
import { createAptosFund, type ProjectFund, type ServiceAccess } from "../../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../../shared/cli/client/http.ts";
import { APTOS_GAS_PATH } from "../../../shared/cli/client/rpc.ts";
import { bind } from "../../../shared/client/bind.ts";
import { createRpcClient, type Reply } from "../../../shared/client/rpc-client.ts";
import { aptosKeyMethods, aptosWalletMethods } from "../../../shared/client/wallet-client.ts";
import { assembleDraft, type Draft, draftOf, newUser, signDraft, submitToAptos } from "../../support/aptos-chain.ts";

const DEPOSIT_OCTAS = 1_000_000_000n;
const MAX_GAS_UNITS = 20_000n;
const TTL_SECONDS = 1_800n;
const WALLET_ID = "user on aptos";
const SETTLED = { timeout: 20_000, interval: 100 };

const rowsSchema = z.object({ items: z.array(z.object({ digest: z.string(), state: z.string() })) });

function granted<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(JSON.stringify(reply.error));
  return reply.value;
}

/** The clients of one key at one service. */
function clientsOf({ serviceUrl: baseUrl }: ServiceAccess, accessKey: string) {
  const options = { baseUrl, accessKey };
  const gas = createRpcClient(APTOS_GAS_PATH, options);
  return {
    sponsor: gas(aptosSponsorTransaction),
    submit: gas(aptosSponsorAndSubmit),
    keys: bind(aptosKeyMethods, options),
    wallets: bind(aptosWalletMethods, options),
  };
}

/** What a project has on Aptos: a fund, its key, a wallet, a finished sponsorship and a signature that nobody has used. */
export class AptosPart {
  readonly #fund: ProjectFund;
  readonly #key: string;
  readonly #secret: string;
  readonly #accountAddress: string;
  readonly #done: string;
  readonly #live: { readonly draft: Draft; readonly signature: Uint8Array };

  private constructor(
    fund: ProjectFund,
    { key, secret, accountAddress }: { readonly key: string; readonly secret: string; readonly accountAddress: string },
    { done, live }: { readonly done: string; readonly live: { draft: Draft; signature: Uint8Array } },
  ) {
    this.#fund = fund;
    this.#key = key;
    this.#secret = secret;
    this.#accountAddress = accountAddress;
    this.#done = done;
    this.#live = live;
  }

  /** Adds it to a project. @param aheadMs how far ahead the clock of the chain is. */
  static async addTo(access: ServiceAccess, projectId: string, secret: string, aheadMs: number): Promise<AptosPart> {
    const fund = await createAptosFund(access, projectId, "on aptos", DEPOSIT_OCTAS);
    const terms = { name: "on aptos", network: APTOS_NETWORK, rights: ["wallet", "gas"], fundId: fund.fundId };
    const { key } = await createKey(access, projectId, terms);
    const { sponsor, submit, keys, wallets } = clientsOf(access, key);
    const sessionToken = granted(await keys.createSession({ secret }));
    const { accountAddress } = granted(await wallets.createWallet({ walletId: WALLET_ID, sessionToken }));
    const expirationSecs = BigInt(Math.floor((Date.now() + aheadMs) / 1_000)) + TTL_SECONDS;
    const newDraft = () => draftOf(newUser(), { maxGasUnits: MAX_GAS_UNITS, expirationSecs });
    const draft = newDraft();
    const { senderAuthenticator } = signDraft(draft, fund.depositAddress);
    const { rawTransaction } = draft;
    const { pendingTransaction } = granted(await submit({ rawTransaction, senderAuthenticator }));
    const held = newDraft();
    const { feePayer } = granted(await sponsor({ rawTransaction: held.rawTransaction }));
    const rows = { done: pendingTransaction.hash, live: { draft: held, signature: feePayer.signature } };
    const part = new AptosPart(fund, { key, secret, accountAddress }, rows);
    await part.#untilStates(access, ["complete", "signed"]);
    return part;
  }

  /** Asks for the sponsorships, the signature, the wallet and the key, and compares the books with the chain. */
  async expectAt(access: ServiceAccess): Promise<void> {
    await this.#untilStates(access, ["complete", "signed"]);
    const { sponsor, keys, wallets } = clientsOf(access, this.#key);
    const { draft, signature } = this.#live;
    const { feePayer } = granted(await sponsor({ rawTransaction: draft.rawTransaction }));
    expect(feePayer.signature, "the same bytes have the same signature").toEqual(signature);
    const found = granted(await wallets.getWallet({ walletId: WALLET_ID }));
    expect(found).toEqual({ accountAddress: this.#accountAddress });
    const sessionToken = granted(await keys.createSession({ secret: this.#secret }));
    const opened = await wallets.createWallet({ walletId: WALLET_ID, sessionToken });
    expect(opened, "the secret opens the wallet").toMatchObject({ error: { reason: "wallet_exists" } });
    await this.#expectExact(access);
  }

  /** Submits the signature of before the move, past the service, which then settles it. */
  async executeLive(access: ServiceAccess): Promise<void> {
    const { draft, signature } = this.#live;
    const signed = assembleDraft(draft, this.#fund.depositAddress, signature);
    expect(await submitToAptos(signed, `${access.chainUrl}/aptos/v1`)).toBe("accepted");
    await this.#untilStates(access, ["complete", "complete"]);
    await this.#expectExact(access);
  }

  async #untilStates(access: ServiceAccess, states: readonly [done: string, live: string]): Promise<void> {
    const path = `/funds/${this.#fund.fundId}/sponsorships`;
    const found = async () => {
      const { items } = expectAnswer("the sponsorships", await adminCall(access, "GET", path), rowsSchema);
      const isDone = ({ digest }: { readonly digest: string }) => digest === this.#done;
      return [items.filter(isDone), items.filter((row) => !isDone(row))].map((rows) => rows.map(({ state }) => state));
    };
    await expect.poll(found, SETTLED).toEqual(states.map((state) => [state]));
  }

  async #expectExact(access: ServiceAccess): Promise<void> {
    const reconciled = await adminCall(access, "POST", `/funds/${this.#fund.fundId}/reconcile`);
    expect(reconciled.body).toMatchObject({ exact: true });
  }
}
