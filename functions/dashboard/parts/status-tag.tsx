import type { Tone } from "../../../shared/fund/explain/words/explanation.ts";
import { sponsorshipWords } from "../../../shared/fund/explain/words/sponsorship-endings.ts";
import type { Sponsorship } from "../answers.ts";

/** The class of a tag, by the state of its item. The text of the status repeats it. */
const TONE_CLASS: Readonly<Record<Tone, string>> = { good: "ok", waiting: "warn", bad: "bad", unknown: "" };

/** Shows in a few words how an explained thing stands. */
export function StatusTag({ tone, status }: { readonly tone: Tone; readonly status: string }) {
  return <span class={`tag ${TONE_CLASS[tone]}`}>{status}</span>;
}

/** Shows how a sponsorship ended, or its state while it is live. */
export function SponsorshipTag({ row }: { readonly row: Pick<Sponsorship, "outcome" | "state"> }) {
  const { tone, status } = sponsorshipWords(row);
  return <StatusTag tone={tone} status={status} />;
}
