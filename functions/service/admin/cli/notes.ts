import { COINS, SUGGESTED_LOW_BALANCE } from "../../../../shared/coin-text.ts";
import { chainOfItem } from "./show/list.ts";
import { inert } from "./terminal/inert.ts";

/** The answer of a call, and its input. */
export interface Done {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly sent: Readonly<Record<string, unknown>>;
}

/** Returns a sentence about the effect of a call, for a person. Null if there is nothing to say. */
export type Note = (done: Done) => string | null;

const shown = (value: unknown) => inert(String(value ?? "-"));

const keepNow = (what: string, who: string) => `The ${what} is shown this once: ${who}.`;

/** Returns the sentence after a new access key. */
export const keyCreated: Note = () => keepNow("key", "give it to your back end now");
/** Returns the sentence after a new token. */
export const tokenCreated: Note = () => keepNow("token", "give it to its holder now");
/** Returns the sentence after a new secret. */
export const secretMade: Note = () => keepNow("secret", "give it to the receiver now");

/** Returns the sentence after a deleted webhook. */
export const webhookDeleted: Note = ({ answer: { id } }) => `Webhook ${shown(id)} is deleted.`;
/** Returns the sentence after a deleted token. */
export const tokenDeleted: Note = ({ answer: { id, name } }) => `Token “${shown(name)}” (${shown(id)}) is deleted.`;

/** Returns the sentence after a new fund that would run empty without a warning. */
export const fundCreated: Note = ({ answer }) => {
  const chain = chainOfItem(answer);
  if (answer.lowBalance !== null || chain === null) return null;
  return `Nothing warns before it is empty: gasworks fund update ${shown(answer.id)} --low-balance ${SUGGESTED_LOW_BALANCE}${COINS[chain].coin}`;
};

/** Returns the sentence after a revocation of a fund. */
export const fundRevoked: Note = () => "The fund is paused: gasworks fund resume lets it sponsor again.";
/** Returns the sentence after a revocation of a key. */
export const keyRevoked: Note = () => "The key is disabled: gasworks key enable admits it again.";
/** Returns the sentence after the end of all sessions. */
export const sessionsRevoked: Note = () => "Every session of the project has ended.";

/** Returns the sentence after the reopening of a project. */
export const projectReopened: Note = () => "The project is open again. A copy of it is not valid any more.";
/** Returns the sentence after the close of a project. */
export const projectClosed: Note = ({ answer, sent }) =>
  answer.destination === sent.destination
    ? "The project is closed: gasworks project reopen opens it again."
    : `The project was closed before, and its callers are still shown “${shown(answer.destination)}”. To change that, reopen it first.`;
