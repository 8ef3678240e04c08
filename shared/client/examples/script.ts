import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { createSuiGasClient, type Reply } from "gasworks";

// A script that has one transaction of a new key pair paid for: node --experimental-strip-types script.ts

const { GASWORKS_URL = "http://127.0.0.1:8787", ACCESS_KEY = "", PACKAGE = "" } = process.env;

function required<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  throw new Error(`${reply.error.kind}: ${reply.error.details}`);
}

const gas = createSuiGasClient({ baseUrl: GASWORKS_URL, accessKey: ACCESS_KEY });
const before = required(await gas.getFund({}));

const user = new Ed25519Keypair();
const transaction = new Transaction();
transaction.moveCall({ target: `${PACKAGE}::demo::mint`, arguments: [transaction.pure.string("by a script")] });
const transactionBytes = await transaction.build({ onlyTransactionKind: true });

const { txBytes, txDigest } = required(
  await gas.prepareTransactionBlock({ transactionBytes, sender: user.toSuiAddress() }),
);
const { signature: senderSignature } = await user.signTransaction(txBytes);
const { effects } = required(
  await gas.executeTransactionBlock(
    { txDigest, senderSignature, requestType: "WaitForLocalExecution" },
    { idempotencyKey: txDigest },
  ),
);

const after = required(await gas.getFund({}));
console.log(`${txDigest}: ${effects.status.status}, paid with ${before.balance - after.balance} MIST`);
