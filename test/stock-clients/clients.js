// Run by clients.e2e.long.test.ts, outside of the project and with the packages of package.json here alone: what a
// deployed app has. Of everything that such an app does, only the URLs are others.
//
//   node clients.js <case>       with the environment variable SETTING; prints what the chain must show, as JSON
import assert from "node:assert/strict";
import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  Aptos,
  AptosConfig,
  Ed25519Account,
  Ed25519PublicKey,
  Ed25519Signature,
  generateSigningMessageForTransaction,
  Network,
} from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64 } from "@mysten/sui/utils";
import { verifyPersonalMessageSignature, verifyTransactionSignature } from "@mysten/sui/verify";
import * as shinamiAptos from "@shinami/clients/aptos";
import * as shinamiSui from "@shinami/clients/sui";

const { serviceUrl, chainUrl, suiKey, bareSuiKey, aptosKey, suiTarget, aptosTarget, secret } = JSON.parse(
  process.env.SETTING ?? "",
);
const BUDGET = 5_000_000;

const sui = {
  keys: new shinamiSui.KeyClient(suiKey, `${serviceUrl}/sui/key/v1`),
  wallets: new shinamiSui.WalletClient(suiKey, `${serviceUrl}/sui/wallet/v1`),
  gas: new shinamiSui.GasStationClient(suiKey, `${serviceUrl}/sui/gas/v1`),
};
const aptos = {
  keys: new shinamiAptos.KeyClient(aptosKey, `${serviceUrl}/aptos/key/v1`),
  wallets: new shinamiAptos.WalletClient(aptosKey, `${serviceUrl}/aptos/wallet/v1`),
  gas: new shinamiAptos.GasStationClient(aptosKey, `${serviceUrl}/aptos/gas/v1`),
  chain: new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${chainUrl}/aptos/v1` })),
};

const mint = (name, terms = {}) =>
  shinamiSui.buildGaslessTransaction((tx) => {
    tx.moveCall({ target: suiTarget, arguments: [tx.pure.string(name)] });
  }, terms);

const increment = async (sender, withFeePayer = true) => {
  // By the chain's clock, which other tests may have moved.
  const { ledger_timestamp: nowMicros } = await aptos.chain.getLedgerInfo();
  return aptos.chain.transaction.build.simple({
    sender,
    withFeePayer,
    data: { function: aptosTarget, functionArguments: [] },
    options: { maxGasAmount: 20_000, expireTimestamp: Number(BigInt(nowMicros) / 1_000_000n) + 60 },
  });
};

/** @returns the code of the error that the client throws. */
async function codeOf(promise) {
  const error = await promise.then(
    () => null,
    (thrown) => thrown,
  );
  assert.ok(error !== null, "nothing was thrown");
  return error.code;
}

const transactionBytes = Uint8Array.from({ length: 120 }, (_, index) => index);
const message = new TextEncoder().encode("Sign in to the app");

const cases = {
  async "sui KeyClient and WalletClient"() {
    const token = await sui.keys.createSession(secret);
    assert.equal(await codeOf(sui.wallets.getWallet("clients")), -32602);
    const address = await sui.wallets.createWallet("clients", token);
    assert.equal(await sui.wallets.getWallet("clients"), address);
    const { signature, txDigest } = await sui.wallets.signTransaction("clients", token, transactionBytes);
    assert.equal(typeof txDigest, "string");
    await verifyTransactionSignature(transactionBytes, signature, { address });
    const signed = await sui.wallets.signPersonalMessage("clients", token, message);
    await verifyPersonalMessageSignature(message, signed, { address });
    const { effects, events, digest, balanceChanges } = await sui.wallets.executeGaslessTransaction(
      "clients",
      token,
      await mint("clients", { gasBudget: BUDGET }),
      { showEffects: true, showEvents: true },
      "WaitForLocalExecution",
    );
    assert.equal(effects.status.status, "success");
    assert.equal(events[0].parsedJson.owner, address);
    assert.equal(balanceChanges, undefined);
    const automatic = await sui.wallets.executeGaslessTransaction("clients", token, await mint("automatic"));
    return { sui: [digest, automatic.digest], sender: address };
  },

  async "sui KeySession"() {
    const session = new shinamiSui.KeySession(secret, sui.keys);
    await session.refreshToken();
    const used = [];
    session.token = "no token any more";
    const address = await session.withToken((token) => {
      used.push(token);
      return sui.wallets.createWallet("session", token);
    });
    assert.equal(used.length, 2);
    assert.equal(await sui.wallets.getWallet("session"), address);
  },

  async "sui ShinamiWalletSigner"() {
    const signer = new shinamiSui.ShinamiWalletSigner("signer", sui.wallets, secret, sui.keys);
    assert.equal(await codeOf(signer.getAddress()), -32602);
    const address = await signer.getAddress(true);
    assert.equal(await signer.tryCreate(), undefined);
    await verifyTransactionSignature(transactionBytes, (await signer.signTransaction(transactionBytes)).signature, {
      address,
    });
    await verifyPersonalMessageSignature(message, await signer.signPersonalMessage(message), { address });
    const { digest, effects } = await signer.executeGaslessTransaction(
      await mint("signer", { gasBudget: String(BUDGET), gasPrice: 1_000 }),
      { showEffects: true },
    );
    assert.equal(effects.status.status, "success");
    return { sui: [digest], sender: address };
  },

  async "sui GasStationClient"() {
    const user = new Ed25519Keypair();
    const sender = user.toSuiAddress();
    const fund = await sui.gas.getFund();
    assert.ok(fund.balance > 0 && fund.depositAddress !== undefined && fund.network === "SUI_LOCALNET");
    const sponsored = await sui.gas.sponsorTransaction(await mint("sponsored", { sender }));
    assert.equal(await sui.gas.getSponsoredTransactionStatus(sponsored.txDigest), "IN_FLIGHT");
    const priced = await sui.gas.sponsorTransaction(await mint("priced", { sender, gasPrice: 1_500 }));
    assert.equal(await sui.gas.getSponsoredTransactionStatus(priced.txDigest), "IN_FLIGHT");
    const { signature } = await user.signTransaction(fromBase64(sponsored.txBytes));
    return { submit: { txBytes: sponsored.txBytes, signatures: [signature, sponsored.signature] }, sender };
  },

  async "sui GasStationClient.getFund of a fund without an address, which the client cannot read"() {
    const bare = new shinamiSui.GasStationClient(bareSuiKey, `${serviceUrl}/sui/gas/v1`);
    await assert.rejects(bare.getFund(), /depositAddress/);
  },

  async "rpcDiscover of every client"() {
    for (const client of [sui.keys, sui.wallets, sui.gas, aptos.keys, aptos.wallets, aptos.gas]) {
      const { openrpc, methods } = await client.rpcDiscover();
      assert.equal(openrpc, "1.2.6");
      assert.ok(methods.length > 0);
    }
  },

  async "aptos KeyClient and WalletClient"() {
    const token = await aptos.keys.createSession(secret);
    const address = await aptos.wallets.createWallet("clients", token);
    assert.ok((await aptos.wallets.getWallet("clients")).equals(address));
    assert.ok((await aptos.wallets.initializeWalletOnChain("clients", token)).equals(address));
    await onChain(address);
    assert.equal(await codeOf(aptos.wallets.initializeWalletOnChain("clients", token)), -32013);

    for (const withFeePayer of [false, true]) {
      const transaction = await increment(address, withFeePayer);
      const authenticator = await aptos.wallets.signTransaction("clients", token, transaction);
      assert.ok(authenticator instanceof AccountAuthenticatorEd25519);
      const signed = generateSigningMessageForTransaction(transaction);
      const { public_key, signature } = authenticator;
      assert.ok(public_key.verifySignature({ message: signed, signature }));
    }
    const pending = await aptos.wallets.executeGaslessTransaction("clients", token, await increment(address));
    const direct = await aptos.wallets.createWalletOnChain("direct", token);
    await onChain(direct);
    return { aptos: [pending.hash], sender: address.toString() };
  },

  async "aptos KeySession"() {
    const session = new shinamiAptos.KeySession(secret, aptos.keys);
    await session.refreshToken();
    session.token = "no token any more";
    const address = await session.withToken((token) => aptos.wallets.createWallet("session", token));
    assert.ok((await aptos.wallets.getWallet("session")).equals(address));
  },

  async "aptos ShinamiWalletSigner"() {
    const signer = new shinamiAptos.ShinamiWalletSigner("signer", aptos.wallets, secret, aptos.keys);
    const address = await signer.getAddress(true, true);
    await onChain(address);
    assert.equal(await signer.tryCreate(false), undefined);
    assert.equal(await signer.tryInitializeOnChain(), undefined);
    assert.ok((await signer.signTransaction(await increment(address))) instanceof AccountAuthenticatorEd25519);
    const pending = await signer.executeGaslessTransaction(await increment(address));
    return { aptos: [pending.hash], sender: address.toString() };
  },

  async createAptosClient() {
    const [node, indexer] = [`${serviceUrl}/aptos/node/v1`, `${serviceUrl}/aptos/graphql/v1`];
    const client = shinamiAptos.createAptosClient(aptosKey, node, indexer);
    assert.equal((await client.getLedgerInfo()).chain_id, 4);
    const { chain_id } = (await client.queryIndexer({ query: { query: "{ ledger_infos { chain_id } }" } }))
      .ledger_infos[0];
    assert.equal(Number(chain_id), 4);
  },

  async "aptos GasStationClient"() {
    const fund = await aptos.gas.getFund();
    assert.ok(fund.balance > 0 && fund.depositAddress !== null);
    const [first, second] = [Ed25519Account.generate(), Ed25519Account.generate()];
    const build = (user) => increment(user.accountAddress);
    const sponsored = await build(first);
    const feePayerAuthenticator = await aptos.gas.sponsorTransaction(sponsored);
    const submitted = await aptos.chain.transaction.submit.simple({
      transaction: sponsored,
      senderAuthenticator: first.signTransactionWithAuthenticator(sponsored),
      feePayerAuthenticator,
    });
    const signed = await build(second);
    signed.feePayerAddress = AccountAddress.ZERO;
    const authenticator = second.signTransactionWithAuthenticator(signed);
    const pending = await aptos.gas.sponsorAndSubmitSignedTransaction(signed, authenticator);
    return { aptos: [submitted.hash, pending.hash] };
  },

  async "aptos GasStationClient.request, for a transaction as JSON"() {
    const user = Ed25519Account.generate();
    const transaction = await increment(user.accountAddress);
    const { rawTransaction: raw } = transaction;
    const submission = {
      sender: raw.sender.toString(),
      sequence_number: String(raw.sequence_number),
      max_gas_amount: String(raw.max_gas_amount),
      gas_unit_price: String(raw.gas_unit_price),
      expiration_timestamp_secs: String(raw.expiration_timestamp_secs),
      payload: { type: "entry_function_payload", function: aptosTarget, type_arguments: [], arguments: [] },
    };
    const { transactionSigningMessage, feePayerAddress, feePayerSignature } = await aptos.gas.request(
      "gas_encodeAndSponsorTransaction",
      [submission],
    );
    transaction.feePayerAddress = AccountAddress.from(feePayerAddress);
    const signature = user.sign(Uint8Array.from(transactionSigningMessage));
    const submitted = await aptos.chain.transaction.submit.simple({
      transaction,
      senderAuthenticator: new AccountAuthenticatorEd25519(user.publicKey, signature),
      feePayerAuthenticator: new AccountAuthenticatorEd25519(
        new Ed25519PublicKey(feePayerSignature.public_key),
        new Ed25519Signature(feePayerSignature.signature),
      ),
    });
    return { aptos: [submitted.hash] };
  },
};

/** Returns once the account is there. */
async function onChain(address) {
  for (let tries = 0; tries < 100; tries++) {
    const found = await aptos.chain.getAccountInfo({ accountAddress: address }).then(
      () => true,
      () => false,
    );
    if (found) {
      const resources = await aptos.chain.getAccountResources({ accountAddress: address });
      if (resources.some(({ type }) => type === "0x1::account::Account")) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${address} is not on chain`);
}

const [, , name = ""] = process.argv;
if (name === "list") console.log(JSON.stringify(Object.keys(cases)));
else console.log(JSON.stringify((await cases[name]?.()) ?? {}));
