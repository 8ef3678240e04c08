import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { type Failure, isOpen } from "./advice.ts";
import { aptosAddress, badgeAddress, mintPayload, refusedPayload, signMint } from "./aptos.ts";
import { attemptStore, type OpenAttempt } from "./open-attempt.ts";
import { mintKind, refusedKind, signSponsored } from "./sui.ts";
import { type Answer, failed, field, pause, send, textField } from "./wire.ts";

/**
 * The ways in which the page mints: on two chains, with the user's embedded wallet and with a key pair of the browser's
 * own.
 */

export type Chain = "sui" | "aptos";

/** A signed-in user of the page, with the token that the issuer gave. */
export interface Session {
  readonly name: string;
  readonly token: string;
}

/** The end of one attempt to mint a badge. */
export type Ending =
  | {
      readonly kind: "minted";
      readonly name: string;
      readonly badge: string;
      readonly transaction: string;
      readonly gas: string;
    }
  /** The transaction was executed, and the contract refused. */
  | { readonly kind: "aborted"; readonly transaction: string; readonly why: string }
  /** `isOpen`: the transaction may have been executed. Minting again finds its outcome. */
  | { readonly kind: "failed"; readonly failure: Failure; readonly isOpen: boolean };

/** A way to mint. `at` gets the index of each step that begins. */
export interface Way {
  readonly chain: Chain;
  readonly address: string;
  readonly steps: readonly string[];
  readonly mint: (badgeName: string, at: (step: number) => void) => Promise<Ending>;
  /** True if minting looks up an earlier attempt, also one from before the page was loaded again. */
  readonly isOpen: () => boolean;
}

interface Execution {
  readonly path: string;
  readonly body: object;
}

type Finish = (answer: unknown, attempt: OpenAttempt, token: string) => Promise<Ending>;

interface Terms extends Omit<Way, "mint" | "isOpen"> {
  readonly name: "embedded" | "own-key";
  readonly session: Session;
  /** Prepares the execution: everything before the last step. */
  readonly prepare: (badgeName: string, at: (step: number) => void) => Promise<Answer<Execution>>;
  readonly finish: Finish;
}

function way({ session, name, prepare, finish, ...shown }: Terms): Way {
  const { token } = session;
  /** The attempt is kept until its end is known. A repeat uses its key, and never makes another one. */
  const kept = attemptStore(sessionStorage, `${session.name}.${shown.chain}.${name}`);
  return {
    ...shown,
    isOpen: () => kept.get() !== null,
    async mint(badgeName, at) {
      at(0);
      let open = kept.get();
      if (open === null) {
        const prepared = await prepare(badgeName, at);
        if (!prepared.ok) return { kind: "failed", failure: prepared.error, isOpen: false };
        open = { ...prepared.value, badgeName, address: shown.address, idempotencyKey: crypto.randomUUID() };
        kept.put(open);
      }
      at(shown.steps.length - 1);
      const { path, body, idempotencyKey } = open;
      const answer = await send({ method: "POST", path, token, body, idempotencyKey }, (value) => value);
      const ending: Ending = answer.ok
        ? await finish(answer.value, open, token)
        : { kind: "failed", failure: answer.error, isOpen: isOpen(answer.error) };
      if (ending.kind !== "failed" || !ending.isOpen) kept.put(null);
      return ending;
    },
  };
}

const SPONSOR = "/flows/sponsor";
const EXECUTE = "/flows/execute-sponsored";
const BOTH = "/flows/sponsor-and-execute";

const EMBEDDED_STEPS = ["Policy asked, signed by the wallet, paid by the fund, executed"];
const OWN_KEY_STEPS = [
  "Policy asked, transaction made",
  "Checked and signed in this browser",
  "Signed by the fund, executed",
];

/** Returns the way that mints on Sui with the embedded wallet. */
export function suiEmbedded(session: Session, address: string): Way {
  const prepare = async (name: string): Promise<Answer<Execution>> => {
    const body = { chain: "sui", transactionKind: await mintKind(name) };
    return { ok: true, value: { path: BOTH, body } };
  };
  return way({ chain: "sui", name: "embedded", address, steps: EMBEDDED_STEPS, session, prepare, finish: finishOnSui });
}

/** Returns the way that mints on Aptos with the embedded wallet. */
export function aptosEmbedded(session: Session, address: string): Way {
  const prepare = async (name: string): Promise<Answer<Execution>> => {
    const body = { chain: "aptos", payload: mintPayload(name, address) };
    return { ok: true, value: { path: BOTH, body } };
  };
  const terms = { chain: "aptos", name: "embedded", address, steps: EMBEDDED_STEPS } as const;
  return way({ ...terms, session, prepare, finish: finishOnAptos });
}

const TAMPERED = failed(null, "not_what_was_asked", "sponsor answered with another transaction", false);

/** Returns the way that mints on Sui with a key pair of the browser's own. */
export function suiOwnKey(session: Session, keypair: Ed25519Keypair): Way {
  const address = keypair.toSuiAddress();
  const { token } = session;
  const prepare = async (name: string, at: (step: number) => void): Promise<Answer<Execution>> => {
    const transactionKind = await mintKind(name);
    const body = { transactionKind, sender: address };
    const sponsored = await send({ method: "POST", path: SPONSOR, token, body }, (value) =>
      textField(value, "txBytes"),
    );
    if (!sponsored.ok) return sponsored;
    at(1);
    const signature = await signSponsored(sponsored.value, transactionKind, keypair);
    if (signature === null) return TAMPERED;
    return { ok: true, value: { path: EXECUTE, body: { txBytes: sponsored.value, signature } } };
  };
  return way({ chain: "sui", name: "own-key", address, steps: OWN_KEY_STEPS, session, prepare, finish: finishOnSui });
}

/** Returns the way that mints on Aptos with a key pair of the browser's own. */
export function aptosOwnKey(session: Session, keypair: Ed25519Keypair): Way {
  const address = aptosAddress(keypair);
  const { token } = session;
  const prepare = async (name: string, at: (step: number) => void): Promise<Answer<Execution>> => {
    const body = { chain: "aptos", sender: address, payload: mintPayload(name, address) };
    const read = (value: unknown) => textField(value, "rawTransaction");
    const sponsored = await send({ method: "POST", path: SPONSOR, token, body }, read);
    if (!sponsored.ok) return sponsored;
    at(1);
    const rawTransaction = sponsored.value;
    const senderAuthenticator = await signMint(rawTransaction, name, keypair);
    if (senderAuthenticator === null) return TAMPERED;
    return { ok: true, value: { path: EXECUTE, body: { chain: "aptos", rawTransaction, senderAuthenticator } } };
  };
  return way({
    chain: "aptos",
    name: "own-key",
    address,
    steps: OWN_KEY_STEPS,
    session,
    prepare,
    finish: finishOnAptos,
  });
}

/** Requests a transaction that the policy does not allow, to show the refusal. */
export async function tryRefused({ token }: Session, chain: Chain, address: string): Promise<Failure | null> {
  const body =
    chain === "sui" ? { chain, transactionKind: await refusedKind() } : { chain, payload: refusedPayload(address) };
  const idempotencyKey = crypto.randomUUID();
  const answer = await send({ method: "POST", path: BOTH, token, body, idempotencyKey }, () => null);
  return answer.ok ? null : answer.error;
}

const ATOMS_DIGITS = { sui: 9, aptos: 8 } as const;
const COIN = { sui: "SUI", aptos: "APT" } as const;

function inCoins(atoms: bigint, chain: Chain): string {
  const digits = atoms.toString().padStart(ATOMS_DIGITS[chain] + 1, "0");
  const [whole, part] = [digits.slice(0, -ATOMS_DIGITS[chain]), digits.slice(-ATOMS_DIGITS[chain])];
  return `${whole}.${part.replace(/0+$/, "").padEnd(2, "0")} ${COIN[chain]}`;
}

const finishOnSui: Finish = async (answer, { badgeName: name }) => {
  const transaction = textField(answer, "digest");
  if (textField(answer, "status") !== "success")
    return { kind: "aborted", transaction, why: String(field(answer, "effects.status.error")) };
  const created = field(answer, "effects.created");
  const badge = textField(Array.isArray(created) ? created[0] : null, "reference.objectId");
  const used = (name: string) => BigInt(textField(answer, `effects.gasUsed.${name}`));
  const gasMist = used("computationCost") + used("storageCost") - used("storageRebate");
  return { kind: "minted", name, badge, transaction, gas: inCoins(gasMist, "sui") };
};

const POLL_MS = 300;
const MAX_POLLS = 40;

/** A node has the transaction. The chain executes it within a second or two. */
const finishOnAptos: Finish = async (answer, { address, badgeName }, token) => {
  const transaction = textField(answer, "hash");
  const path = `/example/executed?hash=${transaction}`;
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const found = await send({ method: "GET", path, token }, (value) => value);
    if (!found.ok) return { kind: "failed", failure: found.error, isOpen: true };
    const status = textField(found.value, "status");
    if (status === "failure") return { kind: "aborted", transaction, why: textField(found.value, "vmStatus") };
    if (status === "success") {
      const gas = inCoins(BigInt(textField(found.value, "gasOctas")), "aptos");
      return { kind: "minted", name: badgeName, badge: badgeAddress(address, badgeName), transaction, gas };
    }
    await pause(POLL_MS);
  }
  const message = `the chain has not executed ${transaction} yet`;
  return { ...failedAs(message), isOpen: true };
};

function failedAs(message: string) {
  const { error: failure } = failed(null, "outcome_unknown", message, false);
  return { kind: "failed", failure } as const;
}
