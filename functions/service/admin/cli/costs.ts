import { COST_WORDS } from "../../../../shared/fund/cost-words.ts";
import { chainOf, networkSchema } from "../../../../shared/networks.ts";
import { coin, type Danger, type Facts, named, shownText } from "./danger.ts";
import { CommandError } from "./exit-codes.ts";
import { inert } from "./terminal/inert.ts";

// Each function states the effect and the cost of a dangerous call, from the present state at the service.

const sent = (facts: Facts, name: string) => inert(String(facts.sent[name] ?? "?"));

const OUTSTANDING_COST =
  "On Sui the fund moves every coin that they name: about 0.001 SUI for one, and much less for each of many.";

/**
 * Refuses a Sui address that lacks a digit. The service would fill it up, and pay another address than the intended
 * one.
 */
function refuseShortAddress({ shown, sent: { to } }: Facts): void {
  const network = networkSchema.safeParse(shown.network).data;
  if (network === undefined || chainOf(network) !== "sui" || typeof to !== "string") return;
  if (!/^0x[0-9a-fA-F]{64}$/.test(to))
    throw new CommandError("usage", "--to: must be a whole address: 0x and 64 hex digits");
}

/** @throws CommandError for a Sui address that is not whole. */
export const withdrawCost: Danger = (facts) => {
  refuseShortAddress(facts);
  return [
    `Pays ${coin(facts, facts.sent.amount)} out of ${facts.sent.from === "fees" ? "the earned fees of " : ""}fund ${named(facts)}`,
    `  to ${sent(facts, "to")}. ${COST_WORDS.withdraw}`,
    ...(facts.sent.confirm === undefined
      ? []
      : ["  Confirms that it was not paid before the recovery of the fund: if it was, it is paid twice."]),
    `  ${coin(facts, facts.shown.available)} are available now, and ${coin(facts, facts.shown.accruedFees)} are earned fees.`,
  ];
};

/** Returns the effect and the cost of a fund's pause. */
export const pauseFundCost: Danger = (facts) => [
  `Pauses fund ${named(facts)}: no call is sponsored until it resumes.`,
  `  ${coin(facts, facts.shown.inFlight)} in flight may still be executed.`,
];

/** Returns the effect and the cost of a revocation of a fund's signatures. */
export const revokeFundCost: Danger = (facts) => [
  `Pauses fund ${named(facts)}, with ${coin(facts, facts.shown.inFlight)} in flight.`,
  ...(facts.sent.outstanding === true
    ? [`Makes every signature worthless that it has given out. ${OUTSTANDING_COST}`, COST_WORDS.irrevocable]
    : ["Signatures that it has given out stay valid."]),
];

/** Returns the effect and the cost of a recovery. */
export const recoverCost: Danger = (facts) => [
  ...(facts.sent.withdrawals === "confirmed"
    ? [`Ends the confirmation of single withdrawals of fund ${named(facts)}.`, `  ${COST_WORDS.confirmWithdrawals}`]
    : [
        `Recovers fund ${named(facts)}. ${COST_WORDS.recover.closes}`,
        `  ${COST_WORDS.recover.takes}`,
        `  ${COST_WORDS.recover.changes}`,
      ]),
];

/** Returns the effect and the cost of a forced close of one row. */
export const forceCloseCost: Danger = (facts) => [
  `Closes ${sent(facts, "digest")} in the books of fund ${named(facts)} for good.`,
  `  ${COST_WORDS.forceClose}`,
];

/** Returns the effect and the cost of a dropped coin. */
export const dropCoinCost: Danger = (facts) => [
  `Drops coin ${sent(facts, "objectId")} of fund ${named(facts)}.`,
  `  ${COST_WORDS.dropCoin}`,
];

/** Returns the effect and the cost of a disabled key. */
export const disableKeyCost: Danger = (facts) => [
  `Disables access key ${named(facts)}: each of its callers is refused from the next call on.`,
  "  Signatures that it was given stay valid: gasworks key revoke --outstanding takes them back.",
];

/** Returns the effect and the cost of a revocation of a key's signatures. */
export const revokeKeyCost: Danger = (facts) => [
  `Disables access key ${named(facts)} on ${shownText(facts, "network")}: each of its callers is refused from now on.`,
  ...(facts.sent.outstanding === true
    ? [`Makes every signature worthless that it was given. ${OUTSTANDING_COST}`, COST_WORDS.irrevocable]
    : ["Signatures that it was given stay valid."]),
];

/** Returns the effect and the cost of the end of all sessions. */
export const revokeSessionsCost: Danger = (facts) => [
  `Ends every session of project ${named(facts)}. Each wallet has to be opened anew by its app.`,
];

/** Returns the effect and the cost of a project's close for a move. */
export const closeCost: Danger = (facts) => [
  `Closes project ${named(facts)}: its callers are refused, and are shown “${sent(facts, "destination")}”.`,
  "  gasworks project reopen opens it again, as long as it works nowhere else.",
];

/** Returns the effect and the cost of a closed project's reopening. */
export const reopenCost: Danger = (facts) => [
  `Opens project ${facts.id} again, which was closed for “${shownText(facts, "destination")}”.`,
  "  If it works there, both services pay from the same coins.",
];

/** Returns the effect and the cost of a deleted webhook. */
export const deleteWebhookCost: Danger = (facts) => [
  `Deletes webhook ${facts.id} to ${shownText(facts, "url")}, its secret and its waiting deliveries.`,
];

/** Returns the effect and the cost of a new secret of a webhook. */
export const rotateSecretCost: Danger = (facts) => [
  `Makes a new secret of webhook ${facts.id} to ${shownText(facts, "url")}, shown this once.`,
  "  The one before signs beside it for 24 hours. The receiver has to know the new one by then.",
];

/** Returns the effect and the cost of a deleted token. */
export const deleteTokenCost: Danger = (facts) => [
  `Deletes token ${named(facts)}${typeof facts.shown.role === "string" ? ` of role ${shownText(facts, "role")}` : ""}: what calls with it is refused from the next call on.`,
];

/** Returns the effect and the cost of a new seal under the current master key. */
export const rewrapCost: Danger = () => [
  "Seals every key again under the current master key. Nothing stands still meanwhile.",
  "  Keep older versions in MASTER_KEYS until remaining is 0 for ten minutes.",
];
