import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64, toBase64, toHex } from "@mysten/sui/utils";
import * as z from "zod";
import { type Compared, compareCase, type LeftOut, NEEDS_FUNDS, type Replay, readable, Unanswered } from "./cases.ts";
import { compare, type Rules } from "./compare.ts";
import { createNames } from "./names.ts";
import { answerOf, messageIn } from "./sui-answers.ts";
import { framed, type SuiTarget } from "./sui-contract.ts";

const EXECUTE = "TransactionExecutionService/ExecuteTransaction";
const LIST = "StateService/ListOwnedObjects";
const SEED = new Uint8Array(32).fill(7);
/** More than a recorded transaction may cost, and less than one of them tries to split off. */
const COIN_MIST = 3_000_000_000n;
const ADDRESS_BYTES = 32;
/** Longer than a node lags behind. */
const SHOWN_MS = 1_000;

const Failure = z.object({
  name: z.string(),
  /** In base64, as the effects. Absent, as all that follows: no transaction was recorded. */
  transactionBcs: z.string().optional(),
  effectsBcs: z.string().optional(),
  grpcStatus: z.unknown().optional(),
  gasUsed: z.unknown().optional(),
});
type TransactionData = ReturnType<typeof bcs.TransactionData.parse>;

/** Why a refusal is not asked again. */
const NOT_RECORDED = "its transaction was not recorded";

/** Other keys, coins and times, and so other digests and versions. */
const rules: Rules = {
  isFree: (at) => /(?:digest|version|executedEpoch|\.Exist\[\]\[\]|\.ObjectWrite\[\])$/i.test(at),
  keyOf: (at) => (/\.(?:changedObjects|dependencies)$/.test(at) ? "" : null),
  mask: (text) => text,
  learn: () => undefined,
};

function recordedFailures() {
  const text = readFileSync(join(import.meta.dirname, "recorded/sui-node-1.62-failures.json"), "utf8");
  return z.array(Failure).parse(JSON.parse(text));
}

/** The recorded status, whose 64-bit numbers are texts, in the form of the JSON of protocol buffers. */
function statusJson(recorded: unknown): unknown {
  const { ExecutionStatus } = GrpcTypes;
  const message = JSON.parse(JSON.stringify(recorded), (key, value) =>
    key === "command" || key === "abortCode" ? BigInt(value) : value,
  );
  return ExecutionStatus.toJson(ExecutionStatus.fromBinary(ExecutionStatus.toBinary(message)));
}

/** Executes each recorded transaction that failed again, with an account and coins of the asked chain. */
export async function askSuiFailures({ call, chain }: SuiTarget): Promise<Replay> {
  const keypair = Ed25519Keypair.fromSecretKey(SEED);
  const owner = keypair.toSuiAddress();
  const names = createNames();

  async function ask(method: string, request: Uint8Array) {
    const response = await call(method, framed(request));
    return { response, body: new Uint8Array(await response.arrayBuffer()) };
  }

  async function coinsNow(): Promise<readonly GrpcTypes.Object[]> {
    const readMask = { paths: ["object_id", "version", "digest"] };
    const { ListOwnedObjectsRequest: Request, ListOwnedObjectsResponse: Reply } = GrpcTypes;
    const { body } = await ask(LIST, Request.toBinary(Request.create({ owner, readMask })));
    return Reply.fromBinary(messageIn(body) ?? new Uint8Array()).objects;
  }

  /** The same transaction of this account. A recorded coin stands for one of ours. */
  async function again(recorded: string): Promise<Uint8Array<ArrayBuffer>> {
    const data: TransactionData = bcs.TransactionData.parse(fromBase64(recorded));
    const { sender, gasData, kind } = data.V1;
    names.bind(sender, owner);
    const coins = await coinsNow();
    const referenceOf = ({ objectId }: { readonly objectId: string }) => {
      const taken = coins.map(({ objectId: id = "" }) => id).find((id) => !bound.has(id));
      if (names.of(objectId) === undefined && taken !== undefined) names.bind(objectId, taken);
      bound.add(names.of(objectId) ?? "");
      const {
        objectId: id = "",
        version = 0n,
        digest = "",
      } = coins.find((coin) => coin.objectId === names.of(objectId)) ?? {};
      return { objectId: id, version: String(version), digest };
    };
    const payment = (gasData.payment ?? []).map(referenceOf);
    for (const input of kind.ProgrammableTransaction?.inputs ?? []) {
      const held = input.Object?.ImmOrOwnedObject;
      if (held !== undefined) Object.assign(held, referenceOf(held));
      const bytes = input.Pure === undefined ? new Uint8Array() : fromBase64(input.Pure.bytes);
      if (input.Pure !== undefined && bytes.length === ADDRESS_BYTES && `0x${toHex(bytes)}` === sender)
        input.Pure.bytes = toBase64(keypair.getPublicKey().toSuiBytes().slice(-ADDRESS_BYTES));
    }
    const V1 = { ...data.V1, sender: owner, gasData: { ...gasData, owner, payment } };
    return Uint8Array.from(bcs.TransactionData.serialize({ V1 }).toBytes());
  }
  const bound = new Set<string>();

  async function execute(bytes: Uint8Array<ArrayBuffer>) {
    const { ExecuteTransactionRequest: Request, ExecuteTransactionResponse: Reply } = GrpcTypes;
    const { signature } = await keypair.signTransaction(bytes);
    const request = Request.create({
      transaction: { bcs: { value: bytes } },
      signatures: [{ bcs: { value: fromBase64(signature) } }],
      readMask: { paths: ["effects.status", "effects.gas_used", "effects.bcs"] },
    });
    const { response, body } = await ask(EXECUTE, Request.toBinary(request));
    const { code, message } = answerOf(EXECUTE, response.status, Object.fromEntries(response.headers), body);
    if (code !== 0) throw new Unanswered(`refused with ${code}: ${message}`);
    return readable(() => {
      const {
        status,
        gasUsed,
        bcs: raw,
      } = Reply.fromBinary(messageIn(body) ?? new Uint8Array()).transaction?.effects ?? {};
      return {
        status: status && GrpcTypes.ExecutionStatus.toJson(status),
        gasUsed: gasUsed && GrpcTypes.GasCostSummary.toJson(gasUsed),
        effects: bcs.TransactionEffects.parse(raw?.value ?? new Uint8Array()),
      };
    });
  }

  const cases: Compared[] = [];
  const leftOut: LeftOut[] = [];
  if (chain !== undefined) for (let coin = 0; coin < 3; coin++) await chain.fund(owner, COIN_MIST);
  for (const { name: failure, transactionBcs, effectsBcs = "", grpcStatus, gasUsed } of recordedFailures()) {
    const name = `failure ${failure}`;
    const reason = transactionBcs === undefined ? NOT_RECORDED : NEEDS_FUNDS;
    if (chain === undefined || transactionBcs === undefined) {
      leftOut.push({ name, reason });
      continue;
    }
    chain.pass(SHOWN_MS);
    const effects = bcs.TransactionEffects.parse(fromBase64(effectsBcs));
    const recorded = { status: statusJson(grpcStatus), gasUsed, effects };
    const asked = await compareCase(name, failure, async () =>
      compare(names, rules, recorded, await execute(await again(transactionBcs))),
    );
    cases.push(asked);
  }
  return { cases, leftOut };
}
