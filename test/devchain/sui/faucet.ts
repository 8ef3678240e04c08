import { fromHex } from "@mysten/sui/utils";
import type { ChainState } from "./chain-state.ts";
import { GAS } from "./gas.ts";
import type { Ledger } from "./ledger.ts";
import { SUI_COIN_TYPE, SUI_TYPE } from "./objects.ts";
import { signingDigest } from "./signatures.ts";
import type { ObjectStore } from "./store.ts";
import { encodeTransaction } from "./transaction.ts";
import { ed25519Address } from "./user-signature.ts";

/** PKCS#8 wrapping of an Ed25519 seed (RFC 8410). */
const PKCS8_PREFIX = fromHex("302e020100300506032b657004220420");
const ED25519_FLAG = 0x00;
/** Covers the deposits of the two coins that a payment writes. */
const STORAGE_BUDGET_MIST = 10_000_000n;

export interface FaucetPayment {
  readonly digest: string;
  /** The coin that was made, unless the payment went into an address balance. */
  readonly objectId?: string;
}

export type PaymentForm = "coin" | "address_balance";
export type Faucet = (address: string, amountMist: bigint, form?: PaymentForm) => Promise<FaucetPayment>;

/** The address of the faucet's account, for its seed. */
export async function faucetAddress(seed: Uint8Array): Promise<string> {
  return (await openSigner(seed)).address;
}

/**
 * The faucet is an ordinary account that holds the whole supply: each payment is a signed transaction
 * that splits one coin off and gives it away. Payments queue up, because all spend the same coin.
 */
export async function createFaucet(store: ObjectStore, state: ChainState, ledger: Ledger): Promise<Faucet> {
  const signer = await openSigner(fromHex(state.faucetSeedHex));
  let lastPayment: Promise<unknown> = Promise.resolve();

  async function pay(address: string, amountMist: bigint, form: PaymentForm): Promise<FaucetPayment> {
    const transaction = paymentTransaction(store, state, signer.address, { address, amountMist, form });
    const { executed } = await ledger.submit(transaction, [await signer.sign(transaction.bytes)]);
    if (form === "address_balance") return { digest: transaction.digest };
    const created = executed.effects?.changedObjects.find(
      ({ objectId, outputOwner, inputVersion }) => objectId && inputVersion === undefined && outputOwner,
    );
    if (created?.objectId === undefined) throw new Error(`faucet transaction ${transaction.digest} made no coin`);
    return { digest: transaction.digest, objectId: created.objectId };
  }

  return (address, amountMist, form = "coin") => {
    const payment = lastPayment.then(() => pay(address, amountMist, form));
    lastPayment = payment.catch(() => undefined);
    return payment;
  };
}

function paymentTransaction(
  store: ObjectStore,
  state: ChainState,
  faucet: string,
  { address, amountMist, form }: { address: string; amountMist: bigint; form: PaymentForm },
) {
  const [supply] = store.ownedObjects(faucet, SUI_COIN_TYPE, undefined, 1).objects;
  if (supply === undefined) throw new Error("the faucet has no coin");
  const { referenceGasPrice } = state.epoch();
  const amount = new Uint8Array(8);
  new DataView(amount.buffer).setBigUint64(0, amountMist, true);
  return encodeTransaction({
    kind: {
      ProgrammableTransaction: {
        inputs: [{ Pure: { bytes: amount } }, { Pure: { bytes: fromHex(address) } }],
        commands: [{ SplitCoins: { coin: { GasCoin: true }, amounts: [{ Input: 0 }] } }, giveAway(form)],
      },
    },
    sender: faucet,
    gasData: {
      payment: [{ objectId: supply.id, version: supply.version, digest: supply.digest }],
      owner: faucet,
      price: referenceGasPrice,
      budget: 2n * GAS.minimumComputationUnits * referenceGasPrice + STORAGE_BUDGET_MIST,
    },
    expiration: { None: true },
  });
}

/** Gives the result of the first command to the address in the second input. */
function giveAway(form: PaymentForm) {
  if (form === "coin")
    return { TransferObjects: { objects: [{ NestedResult: [0, 0] }], address: { Input: 1 } } } as const;
  return {
    MoveCall: {
      package: "0x2",
      module: "coin",
      function: "send_funds",
      typeArguments: [SUI_TYPE],
      arguments: [{ NestedResult: [0, 0] }, { Input: 1 }],
    },
  } as const;
}

async function openSigner(seed: Uint8Array) {
  const pkcs8 = new Uint8Array([...PKCS8_PREFIX, ...seed]);
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const exported = await crypto.subtle.exportKey("jwk", key);
  if (exported instanceof ArrayBuffer || exported.x === undefined)
    throw new Error("the faucet's key has no public part");
  const publicKey = new Uint8Array(Buffer.from(exported.x, "base64url"));
  return {
    address: ed25519Address(publicKey),
    async sign(transactionBytes: Uint8Array): Promise<Uint8Array> {
      const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", key, signingDigest(transactionBytes)));
      return new Uint8Array([ED25519_FLAG, ...signature, ...publicKey]);
    },
  };
}
