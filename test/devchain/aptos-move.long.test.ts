import {
  Account,
  AccountAddress,
  type CommittedTransactionResponse,
  createObjectAddress,
  type EntryFunctionArgumentTypes,
  MoveString,
  type MoveStructId,
  MoveVector,
  U64,
} from "@aptos-labs/ts-sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { displayAddress } from "./aptos/address.ts";
import { APT, type AptosTestChain, refusal, run, startAptosChain, transferOf } from "./aptos-testing.ts";
import { APTOS_DEMO_MODULE, APTOS_PAY_TOGETHER_SCRIPT, APTOS_TRANSFER_SCRIPT } from "./demo.ts";

const APTOS_COIN = "0x1::aptos_coin::AptosCoin";

let chain: AptosTestChain;
let alice: Account;
let bob: Account;

beforeEach(async () => {
  chain = await startAptosChain();
  alice = await chain.account(5n * APT);
  bob = await chain.account();
});

/** An address as a node writes it. */
function shown(address: AccountAddress): string {
  return displayAddress(address.toStringLong());
}

function balanceOf({ accountAddress }: Account): Promise<number> {
  return chain.aptos.getAccountAPTAmount({ accountAddress });
}

describe("modules", () => {
  test("have the ABI by which the stock client encodes arguments", async () => {
    const { abi } = await chain.aptos.getAccountModule({ accountAddress: "0x1", moduleName: "aptos_account" });
    expect(abi).toMatchObject({ address: "0x1", name: "aptos_account", friends: [] });
    expect(abi?.exposed_functions.find(({ name }) => name === "batch_transfer")).toEqual({
      name: "batch_transfer",
      visibility: "public",
      is_entry: true,
      is_view: false,
      generic_type_params: [],
      params: ["&signer", "vector<address>", "vector<u64>"],
      return: [],
    });
    const modules = await chain.aptos.getAccountModules({ accountAddress: "0x1" });
    expect(modules.map((one) => one.abi?.name)).toEqual([
      "account",
      "account_abstraction",
      "aptos_account",
      "coin",
      "object",
      "primary_fungible_store",
    ]);
  });

  test("that are not there are not found, by the node and by a transaction", async () => {
    const missing = chain.aptos.getAccountModule({ accountAddress: bob.accountAddress, moduleName: "none" });
    expect(await refusal(missing)).toMatchObject({
      status: 404,
      message: expect.stringMatching(
        new RegExp(
          `^Module not found by Address\\(${shown(bob.accountAddress)}\\), Module name\\(none\\) and Ledger version\\(\\d+\\)$`,
        ),
      ),
      error_code: "module_not_found",
    });
    const abi = { typeParameters: [], parameters: [] };
    for (const [id, status] of [
      [`${bob.accountAddress}::none::none`, "LINKER_ERROR"],
      ["0x1::aptos_account::none", "FUNCTION_RESOLUTION_FAILURE"],
    ] as const) {
      const [address = "", module = "", name = ""] = id.split("::");
      const transaction = await chain.aptos.transaction.build.simple({
        sender: alice.accountAddress,
        data: { function: `${address}::${module}::${name}`, functionArguments: [], abi },
      });
      expect(await run(chain.aptos, alice, transaction)).toMatchObject({
        success: false,
        vm_status: status,
      });
    }
  });
});

describe("functions", () => {
  function call(
    sender: Account,
    id: `${string}::${string}::${string}`,
    args: EntryFunctionArgumentTypes[],
    type?: string,
  ) {
    const typeArguments = type === undefined ? [] : [type];
    const data = { function: id, typeArguments, functionArguments: args };
    return chain.aptos.transaction.build
      .simple({ sender: sender.accountAddress, data })
      .then((transaction) => run(chain.aptos, sender, transaction));
  }

  async function view(id: `${string}::${string}::${string}`, args: string[], typeArguments: MoveStructId[] = []) {
    return (await chain.aptos.viewJson({ payload: { function: id, typeArguments, functionArguments: args } }))[0];
  }

  test.each<[string, (to: AccountAddress) => Promise<CommittedTransactionResponse>]>([
    [
      "aptos_account::transfer_coins",
      (to) => call(alice, "0x1::aptos_account::transfer_coins", [to, new U64(9)], APTOS_COIN),
    ],
    ["coin::transfer", (to) => call(alice, "0x1::coin::transfer", [to, new U64(9)], APTOS_COIN)],
    [
      "primary_fungible_store::transfer",
      (to) =>
        call(
          alice,
          "0x1::primary_fungible_store::transfer",
          [AccountAddress.A, to, new U64(9)],
          "0x1::fungible_asset::Metadata",
        ),
    ],
    [
      "aptos_account::batch_transfer",
      (to) => call(alice, "0x1::aptos_account::batch_transfer", [new MoveVector([to, to]), MoveVector.U64([4, 5])]),
    ],
  ])("%s moves APT", async (_, transfer) => {
    expect(await transfer(bob.accountAddress)).toMatchObject({ success: true });
    expect(await balanceOf(bob)).toBe(9);
  });

  test("no other coin or asset is there", async () => {
    expect(await call(alice, "0x1::coin::transfer", [bob.accountAddress, new U64(1)], "0x1::a::B")).toMatchObject({
      vm_status: "Move abort in 0x1::coin: ECOIN_INFO_NOT_PUBLISHED(0x60003): CoinInfo not published",
    });
    const other = [bob.accountAddress, bob.accountAddress, new U64(1)];
    expect(await call(alice, "0x1::primary_fungible_store::transfer", other, APTOS_COIN)).toMatchObject({
      vm_status: "MISSING_DATA",
    });
  });

  test("a counter is counted up, deleted, and then missed", async () => {
    for (const _ of [1, 2]) await call(alice, `${APTOS_DEMO_MODULE}::increment`, []);
    const counter = () => view(`${APTOS_DEMO_MODULE}::counter`, [alice.accountAddress.toString()]);
    expect(await counter()).toBe("2");
    expect(await call(alice, `${APTOS_DEMO_MODULE}::close`, [])).toMatchObject({ success: true });
    expect(await counter()).toBe("0");
    expect(await call(alice, `${APTOS_DEMO_MODULE}::close`, [])).toMatchObject({
      vm_status: `Move abort in ${APTOS_DEMO_MODULE}: 0x1`,
    });
  });

  test("a badge is minted once, changes hands, and is burnt by its owner only", async () => {
    const minting = [new MoveString("medal"), alice.accountAddress];
    const minted = await call(alice, `${APTOS_DEMO_MODULE}::mint`, minting);
    const badge = createObjectAddress(alice.accountAddress, "medal");
    expect(minted).toMatchObject({
      success: true,
      events: expect.arrayContaining([
        expect.objectContaining({
          type: `${APTOS_DEMO_MODULE}::BadgeMinted`,
          data: { badge: shown(badge), name: "medal", owner: shown(alice.accountAddress) },
        }),
      ]),
    });
    expect(await call(alice, `${APTOS_DEMO_MODULE}::mint`, minting)).toMatchObject({ success: false });
    const carol = await chain.account(APT);
    await call(alice, "0x1::object::transfer_call", [badge, carol.accountAddress]);
    const owner = await view("0x1::object::owner", [badge.toString()], ["0x1::object::ObjectCore"]);
    expect(owner).toBe(shown(carol.accountAddress));
    expect(await call(alice, `${APTOS_DEMO_MODULE}::burn`, [badge])).toMatchObject({ success: false });
    expect(await call(carol, `${APTOS_DEMO_MODULE}::burn`, [badge])).toMatchObject({ success: true });
    expect(await call(carol, `${APTOS_DEMO_MODULE}::burn`, [badge])).toMatchObject({
      vm_status: "Move abort in 0x1::object: EOBJECT_DOES_NOT_EXIST(0x60002): An object does not exist at this address",
    });
  });

  test("an account is made for somebody else unless it has the resource, and views read it before and after", async () => {
    const address = bob.accountAddress.toString();
    expect(await view("0x1::account::exists_at", [address])).toBe(true);
    expect(await view("0x1::account::get_authentication_key", [address])).toBe(address);
    expect(await call(alice, "0x1::aptos_account::create_account", [bob.accountAddress])).toMatchObject({
      success: true,
    });
    expect(await view("0x1::account::get_sequence_number", [address])).toBe("0");
    expect(await call(alice, "0x1::aptos_account::create_account", [alice.accountAddress])).toMatchObject({
      vm_status: "Move abort in 0x1::account: EACCOUNT_ALREADY_EXISTS(0x80001): Account already exists",
    });
  });
});

describe("resources", () => {
  test("are listed with their types, page by page", async () => {
    await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 1n));
    const increment = await chain.aptos.transaction.build.simple({
      sender: alice.accountAddress,
      data: { function: `${APTOS_DEMO_MODULE}::increment`, functionArguments: [] },
    });
    await run(chain.aptos, alice, increment);
    const accountAddress = alice.accountAddress;
    const all = await chain.aptos.getAccountResources({ accountAddress });
    expect(all.map(({ type }) => type)).toEqual(["0x1::account::Account", `${APTOS_DEMO_MODULE}::Counter`]);
    const first = await chain.aptos.getAccountResourcesPage({ accountAddress, options: { limit: 1 } });
    expect(first.resources).toEqual(all.slice(0, 1));
    const second = await chain.aptos.getAccountResourcesPage({
      accountAddress,
      options: { limit: 1, ...(first.cursor !== undefined && { cursor: first.cursor }) },
    });
    expect(second.resources).toEqual(all.slice(1));
    expect(second.cursor).toBeUndefined();
  });

  test("are read as they were at an older version, and not at one that is not there yet", async () => {
    const accountAddress = alice.accountAddress;
    const { version } = await run(chain.aptos, alice, await transferOf(chain.aptos, alice, bob, 1n));
    const at = (ledgerVersion: bigint) =>
      chain.aptos.getAccountResource({
        accountAddress,
        resourceType: "0x1::account::Account",
        options: { ledgerVersion },
      });
    expect(await at(BigInt(version))).toMatchObject({ sequence_number: "1" });
    expect(await refusal(at(BigInt(version) - 1n))).toMatchObject({ status: 404, error_code: "resource_not_found" });
    expect(await refusal(at(BigInt(version) + 1_000_000n))).toMatchObject({ error_code: "version_not_found" });
  });
});

describe("views", () => {
  test("are answered to BCS and to JSON, with the gas they took", async () => {
    const functionArguments = [alice.accountAddress.toString()];
    const id = "0x1::coin::balance" as const;
    const payload = { function: id, typeArguments: [APTOS_COIN], functionArguments };
    expect(await chain.aptos.view({ payload: { ...payload, typeArguments: [APTOS_COIN] } })).toEqual(["500000000"]);
    expect(await chain.aptos.viewJson({ payload: { ...payload, typeArguments: [APTOS_COIN] } })).toEqual(["500000000"]);
    const fungible = await chain.aptos.view({
      payload: {
        function: "0x1::primary_fungible_store::balance",
        typeArguments: ["0x1::object::ObjectCore"],
        functionArguments: [alice.accountAddress, "0xa"],
      },
    });
    expect(fungible).toEqual(["500000000"]);
    const response = await chain.call("POST", "/view", {
      body: JSON.stringify({ function: id, type_arguments: [APTOS_COIN], arguments: functionArguments }),
      headers: { "content-type": "application/json" },
    });
    expect(response.headers.get("x-aptos-gas-used")).toMatch(/^[1-9]\d*$/);
    expect(await (await chain.call("GET", `/accounts/${alice.accountAddress}/balance/${APTOS_COIN}`)).json()).toBe(
      500_000_000,
    );
  });

  test.each([
    [
      "what is no view",
      { function: "0x1::aptos_account::transfer", arguments: ["0x1", "1"] },
      "function not marked as view function",
      1011,
    ],
    ["what is not there", { function: "0x1::coin::none" }, "could not find", null],
    [
      "an argument of another type",
      { function: "0x1::account::exists_at", arguments: ["alice"] },
      "arguments[0]",
      null,
    ],
    ["too few arguments", { function: "0x1::account::exists_at", arguments: [] }, "expected 1 arguments", null],
    [
      "an aborting view",
      { function: "0x1::account::get_rotation_capability_offer_for", arguments: ["0x1"] },
      "Move abort",
      4016,
    ],
    [
      "a type of an unknown module",
      { function: "0x1::coin::balance", type_arguments: ["0x1::a::B"], arguments: ["0x1"] },
      "Linker Error",
      1081,
    ],
  ])("refuse %s", async (_, body, word, code) => {
    const response = await chain.call("POST", "/view", {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining(word),
      error_code: "invalid_input",
      vm_error_code: code,
    });
  });
});

describe("simulation", () => {
  test("gives what a transaction would do and costs nobody anything", async () => {
    const transaction = await transferOf(chain.aptos, alice, bob, 1_000n);
    const [simulated] = await chain.aptos.transaction.simulate.simple({
      signerPublicKey: alice.publicKey,
      transaction,
    });
    expect(simulated).toMatchObject({ success: true, vm_status: "Executed successfully", sequence_number: "0" });
    expect(await balanceOf(alice)).toBe(Number(5n * APT));
    const committed = await run(chain.aptos, alice, transaction);
    expect(committed.gas_used).toBe(simulated?.gas_used);
  });

  test("works for an account that is not there and a fee payer that is not known, without any key", async () => {
    const nobody = Account.generate();
    const transaction = await chain.aptos.transaction.build.simple({
      sender: nobody.accountAddress,
      withFeePayer: true,
      data: { function: "0x1::aptos_account::batch_transfer", functionArguments: [[], []] },
    });
    const [simulated] = await chain.aptos.transaction.simulate.simple({ transaction });
    expect(simulated).toMatchObject({ success: true, gas_used: "4950", signature: { type: "fee_payer_signature" } });
  });

  test("fills in price and gas when it is asked to", async () => {
    const transaction = await transferOf(chain.aptos, alice, bob, 1n, { maxGasAmount: 6_000, gasUnitPrice: 777 });
    const [simulated] = await chain.aptos.transaction.simulate.simple({
      signerPublicKey: alice.publicKey,
      transaction,
      options: { estimateGasUnitPrice: true, estimateMaxGasAmount: true },
    });
    expect(simulated).toMatchObject({ gas_unit_price: "100", max_gas_amount: "5000000", success: true });
  });

  test("names what would be refused, and what would abort", async () => {
    const later = await transferOf(chain.aptos, alice, bob, 1n, { accountSequenceNumber: 9 });
    const [ahead] = await chain.aptos.transaction.simulate.simple({
      signerPublicKey: alice.publicKey,
      transaction: later,
    });
    expect(ahead).toMatchObject({ success: false, vm_status: "SEQUENCE_NUMBER_TOO_NEW" });
    const [broke] = await chain.aptos.transaction.simulate.simple({
      signerPublicKey: alice.publicKey,
      transaction: await transferOf(chain.aptos, alice, bob, 6n * APT),
    });
    expect(broke).toMatchObject({
      success: false,
      vm_status:
        "Move abort in 0x1::fungible_asset: EINSUFFICIENT_BALANCE(0x10004): Insufficient balance to withdraw or transfer.",
    });
  });

  test("refuses what could be executed", async () => {
    const transaction = await transferOf(chain.aptos, alice, bob, 1n);
    const authenticator = alice.signTransactionWithAuthenticator(transaction);
    const bytes = transaction.rawTransaction.bcsToBytes();
    const body = new Uint8Array([...bytes, ...authenticator.bcsToBytes()]);
    const response = await chain.call("POST", "/transactions/simulate", {
      body,
      headers: { "content-type": "application/x.aptos.signed_transaction+bcs" },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      message: "Simulated transactions must not have a valid signature",
      error_code: "invalid_input",
      vm_error_code: null,
    });
  });
});

describe("scripts", () => {
  const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

  test("one signer's is executed and shown with its ABI", async () => {
    const transaction = await chain.aptos.transaction.build.simple({
      sender: alice.accountAddress,
      data: { bytecode: hex(APTOS_TRANSFER_SCRIPT), functionArguments: [bob.accountAddress, new U64(250)] },
    });
    expect(await run(chain.aptos, alice, transaction)).toMatchObject({
      success: true,
      payload: {
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
        arguments: [shown(bob.accountAddress), "250"],
        type: "script_payload",
      },
    });
    expect(await balanceOf(bob)).toBe(250);
  });

  test("two signers' is executed", async () => {
    const carol = await chain.account(APT);
    const transaction = await chain.aptos.transaction.build.multiAgent({
      sender: alice.accountAddress,
      secondarySignerAddresses: [carol.accountAddress],
      data: {
        bytecode: hex(APTOS_PAY_TOGETHER_SCRIPT),
        functionArguments: [bob.accountAddress, new U64(3), new U64(4)],
      },
    });
    const { hash } = await chain.aptos.transaction.submit.multiAgent({
      transaction,
      senderAuthenticator: chain.aptos.transaction.sign({ signer: alice, transaction }),
      additionalSignersAuthenticators: [chain.aptos.transaction.sign({ signer: carol, transaction })],
    });
    await chain.aptos.waitForTransaction({ transactionHash: hash });
    expect(await balanceOf(bob)).toBe(7);
    expect(await balanceOf(carol)).toBe(Number(APT - 4n));
  });

  test.each([
    ["unknown bytecode", "a11ceb0b", [new U64(1)], "CODE_DESERIALIZATION_ERROR"],
    ["too few arguments", APTOS_TRANSFER_SCRIPT, [new U64(1)], "NUMBER_OF_ARGUMENTS_MISMATCH"],
    ["arguments of other types", APTOS_TRANSFER_SCRIPT, [new U64(1), AccountAddress.ONE], "TYPE_MISMATCH"],
  ])("%s fails", async (_, bytecode, functionArguments, status) => {
    const transaction = await chain.aptos.transaction.build.simple({
      sender: alice.accountAddress,
      data: { bytecode: hex(bytecode), functionArguments },
    });
    const vm_status = status;
    expect(await run(chain.aptos, alice, transaction)).toMatchObject({ success: false, vm_status });
  });
});
