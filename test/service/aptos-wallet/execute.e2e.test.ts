import { randomBytes } from "node:crypto";
import {
  AccountAddress,
  type Ed25519Account,
  type RawTransaction,
  Script,
  TransactionPayloadScript,
  U64,
} from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import { displayAddress } from "../../devchain/aptos/address.ts";
import { APTOS_DEMO_MODULE, APTOS_TRANSFER_SCRIPT } from "../../devchain/demo.ts";
import { advance } from "../../harness/harness.ts";
import {
  aptos,
  authenticatorOf,
  balanceOf,
  chargeOf,
  entryFunction,
  expectReconciled,
  GAS_PRICE_OCTAS,
  giveApt,
  MAX_GAS_UNITS,
  newAccount,
  OCTAS_PER_APT,
  rawTransaction,
  refusalOf,
  sponsorshipsOf,
  type Terms,
  transferTo,
} from "../../support/aptos.ts";
import { clearFaults, holdConsensus, orderFault } from "../../support/chain-control.ts";
import { figuresOf } from "../../support/operator.ts";
import { longTest, shortCases, shortTest } from "../../support/rounds.ts";
import { type AptosApp, call, newAptosApp, newSession, newWallet, pendingIn } from "./app.ts";

const increment = entryFunction(`${APTOS_DEMO_MODULE}::increment`, []);
const RECEIVER = newAccount().accountAddress.toString();

/** Each group has a fund of its own, in which nothing of the others is under way. */
let app: AptosApp;
const withOwnFund = () =>
  beforeAll(async () => {
    app = await newAptosApp();
  });

interface Wallet {
  readonly walletId: string;
  readonly address: string;
}

type SecondarySigners = readonly { readonly address: string; readonly signature: string | readonly number[] }[];

function execute(wallet: Wallet, raw: RawTransaction, secondarySigners: SecondarySigners = [], key?: string) {
  const params = [wallet.walletId, app.token, raw.bcsToHex().toString(), secondarySigners];
  return call(app.key, "wal_executeGaslessTransaction", params, key);
}

async function committed(hash: string) {
  return aptos.waitForTransaction({ transactionHash: hash, options: { checkSuccess: false } });
}

/** A wallet with some APT of its own. */
async function walletWithApt(): Promise<Wallet> {
  const wallet = await newWallet(app);
  await giveApt(wallet.address, OCTAS_PER_APT);
  return wallet;
}

async function userWithApt(): Promise<Ed25519Account> {
  const user = newAccount();
  await giveApt(user.accountAddress.toString(), OCTAS_PER_APT);
  return user;
}

const HEX32 = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const ed25519 = {
  public_key: HEX32,
  signature: expect.stringMatching(/^0x[0-9a-f]{128}$/),
  type: "ed25519_signature",
};

/** Every field of spec 2.3, and the one that nodes have beside those. */
function pendingShape(wallet: Wallet, raw: RawTransaction, payload: object, secondary: readonly string[] = []) {
  return {
    hash: HEX32,
    sender: displayAddress(wallet.address),
    sequence_number: raw.sequence_number.toString(),
    max_gas_amount: raw.max_gas_amount.toString(),
    gas_unit_price: raw.gas_unit_price.toString(),
    expiration_timestamp_secs: raw.expiration_timestamp_secs.toString(),
    payload,
    signature: {
      sender: ed25519,
      fee_payer_address: displayAddress(app.fund.depositAddress),
      fee_payer_signer: ed25519,
      secondary_signer_addresses: secondary.map(displayAddress),
      secondary_signers: secondary.map(() => ed25519),
      type: "fee_payer_signature",
    },
    replay_protection_nonce: null,
  };
}

describe("a gasless transaction is answered as the pending transaction of the specification, and is committed", () => {
  withOwnFund();

  shortTest("calling an entry function", async () => {
    const wallet = await walletWithApt();
    const raw = await rawTransaction(wallet.address, transferTo(RECEIVER, 7n));
    const pending = pendingIn(await execute(wallet, raw));
    expect(pending).toEqual(
      pendingShape(wallet, raw, {
        function: "0x1::aptos_account::transfer",
        type_arguments: [],
        arguments: [displayAddress(RECEIVER), "7"],
        type: "entry_function_payload",
      }),
    );
    expect(await committed(pending.hash)).toMatchObject({ success: true, hash: pending.hash });
    expect(await balanceOf(wallet.address)).toBe(OCTAS_PER_APT - 7n);
  });

  longTest("running a script", async () => {
    const wallet = await walletWithApt();
    const code = Buffer.from(APTOS_TRANSFER_SCRIPT, "hex");
    const payload = new TransactionPayloadScript(new Script(code, [], [AccountAddress.from(RECEIVER), new U64(5n)]));
    const raw = await rawTransaction(wallet.address, payload);
    const pending = pendingIn(await execute(wallet, raw));
    expect(pending).toEqual(
      pendingShape(wallet, raw, {
        code: {
          bytecode: `0x${APTOS_TRANSFER_SCRIPT}`,
          abi: {
            name: "main",
            visibility: "public",
            is_entry: true,
            is_view: false,
            generic_type_params: [],
            params: ["&signer", "address", "u64"],
            return: [],
          },
        },
        type_arguments: [],
        arguments: [displayAddress(RECEIVER), "5"],
        type: "script_payload",
      }),
    );
    expect(await committed(pending.hash)).toMatchObject({ success: true });
    expect(await balanceOf(wallet.address)).toBe(OCTAS_PER_APT - 5n);
  });

  longTest.each(["0x0", "the fund's address"])("with another signer, who signed over %s", async (over) => {
    const [wallet, other] = [await walletWithApt(), await userWithApt()];
    const secondary = [other.accountAddress.toString()];
    const payload = entryFunction(`${APTOS_DEMO_MODULE}::pay_together`, [
      AccountAddress.from(RECEIVER),
      new U64(3n),
      new U64(4n),
    ]);
    const raw = await rawTransaction(wallet.address, payload);
    const feePayer = over === "0x0" ? "0x0" : app.fund.depositAddress;
    const signature = authenticatorOf(other, raw, { feePayer, secondary });
    const signers = [{ address: other.accountAddress.toString(), signature }];
    const pending = pendingIn(await execute(wallet, raw, signers));
    expect(pending).toEqual(
      pendingShape(
        wallet,
        raw,
        {
          function: `${APTOS_DEMO_MODULE}::pay_together`,
          type_arguments: [],
          arguments: [displayAddress(RECEIVER), "3", "4"],
          type: "entry_function_payload",
        },
        secondary,
      ),
    );
    expect(await committed(pending.hash)).toMatchObject({ success: true });
    expect(await balanceOf(other.accountAddress.toString())).toBe(OCTAS_PER_APT - 4n);
  });

  longTest("that aborts, which the fund pays for all the same", async () => {
    const wallet = await newWallet(app);
    const raw = await rawTransaction(wallet.address, entryFunction(`${APTOS_DEMO_MODULE}::abort_with`, [new U64(9n)]));
    const { hash } = pendingIn(await execute(wallet, raw));
    expect(await committed(hash)).toMatchObject({ success: false });
    expect(await chargeOf(hash)).toBeGreaterThan(0n);
    await expectReconciled(app.fund);
  });
});

describe("secondary signers", () => {
  withOwnFund();

  longTest("are taken in the order of the transaction, and in no other", async () => {
    const wallet = await walletWithApt();
    const [first, second] = [await userWithApt(), await userWithApt()];
    const secondary = [first, second].map(({ accountAddress }) => accountAddress.toString());
    const raw = await rawTransaction(wallet.address, increment);
    const signed = [first, second].map((user) => ({
      address: user.accountAddress.toString(),
      signature: authenticatorOf(user, raw, { secondary }),
    }));
    const [one, two] = signed;
    if (one === undefined || two === undefined) throw new Error("two have signed");
    for (const wrong of [[two, one], [one]])
      expect(refusalOf(await execute(wallet, raw, wrong))).toEqual({ code: -32602, reason: "bad_signature" });
    expect((await sponsorshipsOf(app.fund.fundId)).filter(({ sender }) => sender === wallet.address)).toEqual([]);

    // Which keys an account has, only the chain knows.
    const exchanged = [
      { ...one, signature: two.signature },
      { ...two, signature: one.signature },
    ];
    expect(refusalOf(await execute(wallet, raw, exchanged))).toEqual({ code: -32002, reason: "node_refused" });
  });

  longTest("and the raw transaction are taken as arrays of numbers, too", async () => {
    const [wallet, other] = [await walletWithApt(), await userWithApt()];
    const secondary = [other.accountAddress.toString()];
    const payload = entryFunction(`${APTOS_DEMO_MODULE}::pay_together`, [
      AccountAddress.from(RECEIVER),
      new U64(1n),
      new U64(1n),
    ]);
    const raw = await rawTransaction(wallet.address, payload);
    const signature = Array.from(Buffer.from(authenticatorOf(other, raw, { secondary }).slice(2), "hex"));
    const signers = [{ address: other.accountAddress.toString(), signature }];
    const params = [wallet.walletId, app.token, Array.from(raw.bcsToBytes()), signers];
    const { hash } = pendingIn(await call(app.key, "wal_executeGaslessTransaction", params));
    expect(await committed(hash)).toMatchObject({ success: true });
  });
});

describe("repeated, a call has the same hash and one effect", () => {
  withOwnFund();

  shortCases.each([
    ["with an Idempotency-Key", "attempt 1"],
    ["without one", undefined],
  ])("%s", async (_, key) => {
    const wallet = await newWallet(app);
    const raw = await rawTransaction(wallet.address, increment);
    const [first, second] = await Promise.all([execute(wallet, raw, [], key), execute(wallet, raw, [], key)]);
    const { hash } = pendingIn(first);
    expect(pendingIn(second).hash).toBe(hash);
    await committed(hash);
    expect(pendingIn(await execute(wallet, raw, [], key)).hash).toBe(hash);
    expect((await sponsorshipsOf(app.fund.fundId)).filter(({ sender }) => sender === wallet.address)).toHaveLength(1);
  });

  shortTest("after an answer that was lost on the way from the node", async () => {
    const wallet = await newWallet(app);
    const raw = await rawTransaction(wallet.address, increment);
    onTestFinished(clearFaults);
    await orderFault("POST /transactions", "drop_after_commit", 1);
    const first = await execute(wallet, raw);
    const { hash } = pendingIn(await execute(wallet, raw));
    expect(JSON.stringify(first.body)).toContain(hash);
    expect(await committed(hash)).toMatchObject({ success: true });
    await expectReconciled(app.fund);
  });

  shortTest("and its Idempotency-Key names no other", async () => {
    const wallet = await newWallet(app);
    const raw = await rawTransaction(wallet.address, increment);
    await committed(pendingIn(await execute(wallet, raw, [], "named")).hash);
    const next = await rawTransaction(wallet.address, increment, { sequenceNumber: 1n });
    expect(refusalOf(await execute(wallet, next, [], "named"))).toEqual({
      code: -32018,
      reason: "idempotency_conflict",
    });
    await committed(pendingIn(await execute(wallet, next, [], "named anew")).hash);
  });
});

describe("sequence numbers", () => {
  const inFlight = async () => (await figuresOf(app.fund.fundId)).inFlight;
  withOwnFund();

  longTest("one after the other in flight both land", async () => {
    const wallet = await newWallet(app);
    await committed(pendingIn(await execute(wallet, await rawTransaction(wallet.address, increment))).hash);
    await holdConsensus(true);
    onTestFinished(() => holdConsensus(false));
    const hashes: string[] = [];
    for (const sequenceNumber of [1n, 2n, 3n]) {
      const raw = await rawTransaction(wallet.address, increment, { sequenceNumber });
      hashes.push(pendingIn(await execute(wallet, raw)).hash);
    }
    const beyond = await rawTransaction(wallet.address, increment, { sequenceNumber: 5n });
    expect(refusalOf(await execute(wallet, beyond))).toEqual({ code: -32602, reason: "sequence_conflict" });
    // What was committed before is booked within seconds; what waits is withheld.
    await expect.poll(inFlight, { timeout: 60_000 }).toBe(3n * MAX_GAS_UNITS * GAS_PRICE_OCTAS);
    await holdConsensus(false);
    for (const hash of hashes) expect(await committed(hash)).toMatchObject({ success: true });
    expect(refusalOf(await execute(wallet, await rawTransaction(wallet.address, transferTo(RECEIVER, 1n))))).toEqual({
      code: -32602,
      reason: "sequence_conflict",
    });
    await expectReconciled(app.fund);
  });

  longTest("another transaction with one that is under way is refused until the first is dead", async () => {
    const wallet = await newWallet(app);
    await holdConsensus(true);
    onTestFinished(() => holdConsensus(false));
    const first = await rawTransaction(wallet.address, increment, { expiresInSeconds: 30n });
    const { hash } = pendingIn(await execute(wallet, first));
    const other = (terms: Terms = {}) => rawTransaction(wallet.address, transferTo(RECEIVER, 0n), terms);
    expect(refusalOf(await execute(wallet, await other()))).toEqual({ code: -32602, reason: "sequence_conflict" });
    await advance(31_000);
    await holdConsensus(false);
    // The chain shows that it has expired once its own time is past it; the fund looks by itself.
    await giveApt(RECEIVER, 1n);
    await expect.poll(inFlight, { timeout: 60_000 }).toBe(0n);
    await expect(aptos.getTransactionByHash({ transactionHash: hash })).rejects.toThrow();
    const second = pendingIn(await execute(wallet, await other()));
    expect(await committed(second.hash)).toMatchObject({ success: true });
    await expectReconciled(app.fund);
  });
});

describe("refused with nothing signed and nothing held:", () => {
  withOwnFund();

  const nothingHeld = async (check: () => Promise<void>) => {
    const before = { figures: await figuresOf(app.fund.fundId), rows: await sponsorshipsOf(app.fund.fundId) };
    await check();
    expect({ figures: await figuresOf(app.fund.fundId), rows: await sponsorshipsOf(app.fund.fundId) }).toEqual(before);
  };

  shortTest(
    "another wallet's transaction, an unknown wallet, a wrong secret, a token that is none, bytes that are none",
    () =>
      nothingHeld(async () => {
        const [mine, other] = [await newWallet(app), await newWallet(app)];
        const raw = await rawTransaction(mine.address, increment);
        expect(refusalOf(await execute(other, raw)).reason).toBe("wrong_sender");
        expect(refusalOf(await execute({ ...mine, walletId: "nobody's" }, raw)).reason).toBe("unknown_wallet");
        const wrongToken = await newSession(app.key, randomBytes(32).toString("hex"));
        const hex = raw.bcsToHex().toString();
        for (const [params, reason] of [
          [[mine.walletId, wrongToken, hex], "wrong_secret"],
          // The sender is another wallet, too. The secret is judged first.
          [[other.walletId, wrongToken, hex], "wrong_secret"],
          [[mine.walletId, "ivs_none", hex], "Bad session token"],
          [[mine.walletId, app.token, `${hex}00`], "non_canonical_bytes"],
          [[mine.walletId, app.token, hex, [{ address: "0x1", signature: "0x00" }]], "bad_signature"],
          [[mine.walletId, app.token, "0x"], "bad_params"],
        ] as const)
          expect(refusalOf(await call(app.key, "wal_executeGaslessTransaction", params)).reason).toBe(reason);
        for (const method of ["wal_initializeWalletOnChain", "wal_createWalletOnChain"])
          expect(refusalOf(await call(app.key, method, [mine.walletId, "ivs_none"])).reason).toBe("Bad session token");
        const wrong = await call(app.key, "wal_initializeWalletOnChain", [mine.walletId, wrongToken]);
        expect(refusalOf(wrong).reason).toBe("wrong_secret");
      }),
  );

  shortTest("a first transaction whose gas does not make an account, and a later one of no account", () =>
    nothingHeld(async () => {
      const wallet = await newWallet(app);
      const little = await rawTransaction(wallet.address, increment, { maxGasUnits: 5_209n });
      const refused = await execute(wallet, little);
      expect(refusalOf(refused)).toEqual({ code: -32602, reason: "gas_budget_out_of_range" });
      expect(JSON.stringify(refused.body)).toContain("5210");
      const later = await rawTransaction(wallet.address, increment, { sequenceNumber: 1n });
      expect(refusalOf(await execute(wallet, later))).toEqual({ code: -32014, reason: "account_not_found" });
    }),
  );
});
