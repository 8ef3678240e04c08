import type { Visit } from "../visit.ts";

/** The result of a form, by the word in the URL. A URL can show no other text. */
const DONE = {
  opened: "The fund is open. It sponsors from the next call on.",
  paused: "The fund is paused. It sponsors nothing more. What it has signed can still be executed.",
  read: "The balance was read from the chain just now.",
  address: "The fund has a deposit address.",
  saved: "Saved.",
  recovering: "The recovery is under way. This page shows how far it is.",
  confirmed: "Withdrawals need no second confirmation any more.",
  closed: "The transaction is closed. The ledger has the correction.",
  dropped: "The coin is removed. The ledger has the correction.",
  withdrawn: "The withdrawal is sent. The fund settles it by itself.",
  revoked: "The fund is paused, and its signatures are taken back.",
  deleted: "The token is deleted. Nobody can log in with it.",
  rewrap: "Encrypting again has begun. It goes on by itself.",
} as const;

/** The word of something that was done. */
export type DoneWord = keyof typeof DONE;

/** Reports the result of the form before this page. */
export function Done({ visit }: { readonly visit: Pick<Visit, "query"> }) {
  const word = visit.query.done ?? "";
  if (!Object.hasOwn(DONE, word)) return null;
  return (
    <p class="note ok" role="status">
      {DONE[word as DoneWord]}
    </p>
  );
}
