import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { DEMO_PACKAGE } from "./demo.ts";
import { signAll, type TestChain } from "./testing.ts";

export const BADGE = `${DEMO_PACKAGE}::demo::Badge`;
export const LOCKER = `${DEMO_PACKAGE}::demo::Locker`;
const BUDGET_MIST = 20_000_000n;
const PRICE_MIST = 1_000n;

type Given = NonNullable<Parameters<Transaction["moveCall"]>[0]["arguments"]>;

export type ObjectHarness = ReturnType<typeof objectHarness>;

/** Sends transactions about demo objects; `user` sends where nobody is named. */
export function objectHarness({ client }: TestChain, user: Ed25519Keypair) {
  /** What is left open is filled in by the node, which refuses what it sees fail; with full references nothing is open. */
  async function run(change: (transaction: Transaction) => void, sender = user) {
    const transaction = new Transaction();
    const coins = (await client.listCoins({ owner: sender.toSuiAddress() })).objects;
    transaction.setSender(sender.toSuiAddress());
    transaction.setGasPayment(coins.map(({ objectId, version, digest }) => ({ objectId, version, digest })));
    transaction.setGasPrice(PRICE_MIST);
    transaction.setGasBudget(BUDGET_MIST);
    transaction.setExpiration({ None: true });
    change(transaction);
    const bytes = await transaction.build({ client });
    const signatures = await signAll(bytes, sender);
    const include = { effects: true, objectTypes: true } as const;
    const result = await client.executeTransaction({ transaction: bytes, signatures, include });
    return result.Transaction ?? result.FailedTransaction;
  }

  async function ownedBy(owner: string, type: string) {
    const [object] = (await client.listOwnedObjects({ owner, type, include: { json: true } })).objects;
    if (object === undefined) throw new Error(`${owner} has no ${type}`);
    return object;
  }

  return {
    run,
    ownedBy,

    async mint(name = "one", owner = user) {
      await run((transaction) => {
        callDemo(transaction, "mint", transaction.pure.string(name));
      }, owner);
      return ownedBy(owner.toSuiAddress(), BADGE);
    },

    async newLocker() {
      await run((transaction) => {
        transaction.transferObjects([callDemo(transaction, "new_locker")], user.toSuiAddress());
      });
      return ownedBy(user.toSuiAddress(), LOCKER);
    },

    async refOf(objectId: string) {
      const { object } = await client.getObject({ objectId });
      return { objectId, version: object.version, digest: object.digest };
    },

    async ownerOf(objectId: string) {
      return (await client.getObject({ objectId })).object.owner;
    },
  };
}

export function callDemo(transaction: Transaction, name: string, ...given: Given) {
  return transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::${name}`, arguments: given });
}

/** What the effects say of an object: its state before and after, and what became of its id. */
export function changeOf(executed: Awaited<ReturnType<ObjectHarness["run"]>>, objectId: string) {
  const change = executed.effects?.changedObjects.find((changed) => changed.objectId === objectId);
  return change && { input: change.inputState, output: change.outputState, operation: change.idOperation };
}
