import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { failureOf } from "./advice.ts";
import { freshBadgeName } from "./badge-name.ts";
import {
  aptosEmbedded,
  aptosOwnKey,
  type Chain,
  type Ending,
  flowsOf,
  type Session,
  suiEmbedded,
  suiOwnKey,
  tryRefused,
  type Way,
} from "./minting.ts";
import { one, type StepState, showCall, showEnding, showFailure, showSlow, showSteps } from "./view.ts";
import { type Answer, failed, onSent, send, textField } from "./wire.ts";

const signedOut = one("#signed-out", HTMLElement);
const signedIn = one("#signed-in", HTMLElement);
const signInForm = one("#sign-in", HTMLFormElement);
const nameInput = one("#name", HTMLInputElement);
const signInFailure = one("#sign-in-failure", HTMLElement);
const badgeInput = one("#badge", HTMLInputElement);

const calls = one("#calls", HTMLElement);
onSent((sent) => {
  showCall(calls, sent);
  one("#no-calls", HTMLElement).hidden = true;
});

/**
 * Runs the action of a button, which cannot be clicked again while it runs. The button keeps the focus, so that the
 * keyboard stays in place.
 */
async function busy(button: HTMLButtonElement, run: () => Promise<void>): Promise<void> {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  try {
    await run();
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

const UNEXPECTED = (error: unknown) => failed(null, "unexpected_answer", String(error)).error;

/** The wait after which the page shows that nothing is lost. */
const SLOW_MS = 5_000;

function showWay(card: HTMLElement, { address, steps, mint, isOpen }: Way): void {
  const button = one("button.mint", HTMLButtonElement, card);
  const label = one("span", HTMLElement, button);
  const list = one("ol", HTMLElement, card);
  const result = one(".result", HTMLElement, card);
  const shown = one(".address", HTMLElement, card);
  shown.textContent = address;
  shown.title = address;
  list.hidden = true;
  result.hidden = true;
  const showLabel = () => {
    label.textContent = isOpen() ? "Ask again" : "Mint";
  };
  showLabel();

  const run = async () => {
    const badgeName = badgeInput.value.trim();
    if (!badgeInput.reportValidity()) return;
    result.hidden = true;
    let active = 0;
    const states = (last: StepState) =>
      steps.map((_, index): StepState => (index < active ? "done" : index === active ? last : "waiting"));
    const at = (step: number) => {
      active = step;
      showSteps(list, steps, states("active"));
    };
    let ending: Ending;
    const slow = setTimeout(() => showSlow(result), SLOW_MS);
    try {
      ending = await mint(badgeName, at);
    } catch (error) {
      ending = { kind: "failed", failure: UNEXPECTED(error), isOpen: false };
    } finally {
      clearTimeout(slow);
    }
    showSteps(list, steps, states(ending.kind === "minted" ? "done" : "failed"));
    showEnding(result, ending);
    if (ending.kind === "minted") proposeName();
    showLabel();
  };
  button.onclick = () => busy(button, run);
}

let proposedName = "";
/** Proposes a new name, unless the user has typed one. */
function proposeName(): void {
  if (badgeInput.value !== proposedName) return;
  proposedName = freshBadgeName();
  badgeInput.value = proposedName;
}

function showRefusable(session: Session, chain: Chain, address: string): void {
  const card = one(`#${chain}-embedded`, HTMLElement);
  const button = one("button.refused", HTMLButtonElement, card);
  const result = one(".result", HTMLElement, card);
  button.onclick = () =>
    busy(button, async () => {
      one("ol", HTMLElement, card).hidden = true;
      result.hidden = true;
      const failure = await tryRefused(session, chain, address).catch(UNEXPECTED);
      if (failure !== null) showFailure(result, failure);
    });
}

/** Returns the user's wallet on a chain. It is made at the first sign-in, and is the same ever after. */
async function walletOn(chain: Chain, session: Session): Promise<Answer<string>> {
  const made = await flowsOf(session).calls.createWalletOnChain({ chain });
  return made.ok ? { ok: true, value: made.value.address } : { ok: false, error: failureOf(made.error) };
}

async function signIn(): Promise<void> {
  signInFailure.hidden = true;
  const call = { method: "POST", path: "/example/sign-in", body: { name: nameInput.value } } as const;
  const issued = await send(call, (body) => ({ name: textField(body, "name"), token: textField(body, "token") }));
  if (!issued.ok) return showFailure(signInFailure, issued.error);
  const session = issued.value;
  const [sui, aptos] = await Promise.all([walletOn("sui", session), walletOn("aptos", session)]);
  if (!sui.ok) return showFailure(signInFailure, sui.error);
  if (!aptos.ok) return showFailure(signInFailure, aptos.error);

  const keypair = new Ed25519Keypair();
  showWay(one("#sui-embedded", HTMLElement), suiEmbedded(session, sui.value));
  showWay(one("#sui-own-key", HTMLElement), suiOwnKey(session, keypair));
  showWay(one("#aptos-embedded", HTMLElement), aptosEmbedded(session, aptos.value));
  showWay(one("#aptos-own-key", HTMLElement), aptosOwnKey(session, keypair));
  showRefusable(session, "sui", sui.value);
  showRefusable(session, "aptos", aptos.value);
  proposeName();
  one("#user", HTMLElement).textContent = session.name;
  signedOut.hidden = true;
  signedIn.hidden = false;
  one("#welcome", HTMLElement).focus();
}

const signInButton = one("button", HTMLButtonElement, signInForm);
signInForm.onsubmit = (event) => {
  event.preventDefault();
  void busy(signInButton, () => signIn().catch((error) => showFailure(signInFailure, UNEXPECTED(error))));
};

/** Removes token and key pair. The tab keeps only attempts whose end is not known, and no secret. */
one("#sign-out", HTMLButtonElement).onclick = () => {
  signedIn.hidden = true;
  signedOut.hidden = false;
  nameInput.focus();
};
