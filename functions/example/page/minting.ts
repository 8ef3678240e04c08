import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import {
  type AptosExecuted,
  aptosKey,
  createFlows,
  type FlowResult,
  type FlowSettings,
  type SuiExecuted,
} from "gasworks/flows";
import { type Failure, failureOf } from "./advice.ts";
import { aptosAddress, badgeAddress, encodedMint, mintPayload, refusedPayload } from "./aptos.ts";
import { attemptStore, type OpenAttempt } from "./open-attempt.ts";
import { mintTransaction, refusedTransaction } from "./sui.ts";
import { failed, field, loggedFetch, pause, send, textField } from "./wire.ts";

/**
 * The ways in which the page mints: on both chains, with the user's embedded wallet and with a key pair of the browser.
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

/** Returns the client of the workflows. Its attempts end with the tab, and hold no token. */
export function flowsOf({ token }: Session) {
  return createFlows({
    url: "",
    token,
    sui: { network: "localnet" },
    aptos: { network: "localnet" },
    fetch: loggedFetch,
    storage: sessionStorage,
  });
}

interface Terms<Executed> extends Omit<Way, "mint" | "isOpen"> {
  readonly name: "embedded" | "own-key";
  readonly session: Session;
  readonly execute: (attempt: OpenAttempt, settings: FlowSettings<Executed>) => Promise<FlowResult<Executed>>;
  readonly finish: (executed: Executed, attempt: OpenAttempt) => Promise<Ending>;
}

function way<Executed>({ session, name, execute, finish, ...shown }: Terms<Executed>): Way {
  /** The attempt is kept until its end is known. A repeat uses its name, and never makes another one. */
  const kept = attemptStore(sessionStorage, `${session.name}.${shown.chain}.${name}`);
  const { address, steps } = shown;
  return {
    ...shown,
    isOpen: () => kept.get() !== null,
    async mint(badgeName, at) {
      at(0);
      const attempt = kept.get() ?? { badgeName, address, name: crypto.randomUUID() };
      kept.put(attempt);
      const executed = await execute(attempt, {
        name: attempt.name,
        onState({ step }) {
          if (step === "signing") at(1);
          if (step === "executing") at(steps.length - 1);
        },
      });
      const ending: Ending = executed.ok
        ? await finish(executed.value, attempt)
        : { kind: "failed", failure: failureOf(executed.error), isOpen: executed.error.isOpen === true };
      if (ending.kind !== "failed" || !ending.isOpen) kept.put(null);
      return ending;
    },
  };
}

const EMBEDDED_STEPS = ["Policy asked, signed by the wallet, paid by the fund, executed"];
const OWN_KEY_STEPS = [
  "Policy asked, transaction made",
  "Checked and signed in this browser",
  "Signed by the fund, executed",
];

/** Returns the way that mints on Sui with the embedded wallet. */
export function suiEmbedded(session: Session, address: string): Way {
  const flows = flowsOf(session);
  return way({
    ...({ chain: "sui", name: "embedded", address, steps: EMBEDDED_STEPS, session } as const),
    execute: ({ badgeName }, settings) => flows.executeEmbedded(mintTransaction(badgeName), settings),
    finish: finishOnSui,
  });
}

/** Returns the way that mints on Aptos with the embedded wallet. */
export function aptosEmbedded(session: Session, address: string): Way {
  const flows = flowsOf(session);
  return way({
    ...({ chain: "aptos", name: "embedded", address, steps: EMBEDDED_STEPS, session } as const),
    execute: (attempt, settings) => flows.executeEmbedded(mintPayload(attempt.badgeName, attempt.address), settings),
    finish: finishOnAptos,
  });
}

/** Returns the way that mints on Sui with a key pair of the browser's own. */
export function suiOwnKey(session: Session, keypair: Ed25519Keypair): Way {
  const flows = flowsOf(session);
  const address = keypair.toSuiAddress();
  return way({
    ...({ chain: "sui", name: "own-key", address, steps: OWN_KEY_STEPS, session } as const),
    execute: ({ badgeName }, settings) => flows.sponsorAndExecute(mintTransaction(badgeName), keypair, settings),
    finish: finishOnSui,
  });
}

/** Returns the way that mints on Aptos with a key pair of the browser's own. */
export function aptosOwnKey(session: Session, keypair: Ed25519Keypair): Way {
  const flows = flowsOf(session);
  const address = aptosAddress(keypair);
  const publicKey = keypair.getPublicKey().toRawBytes();
  const signer = aptosKey({ address, publicKey, sign: (message) => keypair.sign(message) });
  return way({
    ...({ chain: "aptos", name: "own-key", address, steps: OWN_KEY_STEPS, session } as const),
    execute: (attempt, settings) =>
      flows.sponsorAndExecute(encodedMint(attempt.badgeName, attempt.address), signer, settings),
    finish: finishOnAptos,
  });
}

/** Requests a transaction that the policy does not allow, to show the refusal. */
export async function tryRefused(session: Session, chain: Chain, address: string): Promise<Failure | null> {
  const flows = flowsOf(session);
  const answer =
    chain === "sui"
      ? await flows.executeEmbedded(refusedTransaction())
      : await flows.executeEmbedded(refusedPayload(address));
  return answer.ok ? null : failureOf(answer.error);
}

const ATOMS_DIGITS = { sui: 9, aptos: 8 } as const;
const COIN = { sui: "SUI", aptos: "APT" } as const;

function inCoins(atoms: bigint, chain: Chain): string {
  const digits = atoms.toString().padStart(ATOMS_DIGITS[chain] + 1, "0");
  const [whole, part] = [digits.slice(0, -ATOMS_DIGITS[chain]), digits.slice(-ATOMS_DIGITS[chain])];
  return `${whole}.${part.replace(/0+$/, "").padEnd(2, "0")} ${COIN[chain]}`;
}

async function finishOnSui(executed: SuiExecuted, { badgeName: name }: OpenAttempt): Promise<Ending> {
  const { digest: transaction, status } = executed;
  if (status !== "success")
    return { kind: "aborted", transaction, why: String(field(executed, "effects.status.error")) };
  const created = field(executed, "effects.created");
  const badge = textField(Array.isArray(created) ? created[0] : null, "reference.objectId");
  const used = (name: string) => BigInt(textField(executed, `effects.gasUsed.${name}`));
  const gasMist = used("computationCost") + used("storageCost") - used("storageRebate");
  return { kind: "minted", name, badge, transaction, gas: inCoins(gasMist, "sui") };
}

const POLL_MS = 300;
const MAX_POLLS = 40;

/** A node has the transaction. The chain executes it within a second or two. */
async function finishOnAptos(executed: AptosExecuted, { address, badgeName }: OpenAttempt): Promise<Ending> {
  const { hash: transaction } = executed;
  const path = `/example/executed?hash=${transaction}`;
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const found = await send({ method: "GET", path }, (value) => value);
    if (!found.ok) return { kind: "failed", failure: found.error, isOpen: true };
    const status = textField(found.value, "status");
    if (status === "failure") return { kind: "aborted", transaction, why: textField(found.value, "vmStatus") };
    if (status === "success") {
      const gas = inCoins(BigInt(textField(found.value, "gasOctas")), "aptos");
      return { kind: "minted", name: badgeName, badge: badgeAddress(address, badgeName), transaction, gas };
    }
    await pause(POLL_MS);
  }
  const { error: failure } = failed(null, "outcome_unknown", `the chain has not executed ${transaction} yet`);
  return { kind: "failed", failure, isOpen: true };
}
