import { coinDigits } from "../../../shared/coin-text.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import type { Chain } from "../../../shared/networks.ts";
import type { PolicyView } from "../../../shared/policy/policy-schema.ts";
import { sentence } from "../problem.tsx";
import { atomsOfText, coinName } from "./amount-text.ts";
import { faultWords } from "./fault-words.ts";
import { Field } from "./form.tsx";
import { changedFields, type FieldTexts, Originals } from "./originals.tsx";

type AmountField = Exclude<keyof PolicyView, "moveTargets" | "senders" | "orderless" | "maxInFlightCount">;

/** The labels of the amounts, in the order of the form. The compiler names a missing one. */
const LABELS = {
  maxGasBudget: "Most that one transaction may cost",
  maxStorageCost: "Most that one transaction may pay for storage",
  maxInFlightAmount: "Most that is kept for open sponsorships",
  maxSpendPerDay: "Most that is spent in a UTC day",
  maxSpendPerSenderPerDay: "Most that each sender spends in a UTC day",
  maxAbandonCostPerDay: "Most that unused sponsorships may cost in a UTC day",
} as const satisfies Readonly<Record<AmountField, string>>;

const isAmountField = (name: string): name is AmountField => Object.hasOwn(LABELS, name);
const AMOUNT_FIELDS = Object.keys(LABELS).filter(isAmountField);

const ORDERLESS = [
  { value: "no", label: "never paid for" },
  { value: "yes", label: "paid for" },
] as const;

const LISTS = [
  {
    field: "moveTargets",
    part: "allow",
    label: "Calls that it pays for",
    hint: "One a line: 0x…::module::function, 0x…::module::* or 0x…::*. Empty: any call.",
  },
  { field: "moveTargets", part: "deny", label: "Calls that it never pays for", hint: "One a line." },
  {
    field: "senders",
    part: "allow",
    label: "Senders that it pays for",
    hint: "One address a line. Empty: any sender.",
  },
  { field: "senders", part: "deny", label: "Senders that it never pays for", hint: "One address a line." },
] as const;

function listName({ field, part }: (typeof LISTS)[number]): string {
  return `${field}.${part}`;
}

/** Returns a policy as the texts of its form. Amounts are in coins. */
export function policyTexts(policy: PolicyView, chain: Chain): FieldTexts {
  const amountOf = (field: AmountField) => {
    const atoms = policy[field];
    return atoms === null ? "" : coinDigits(chain, BigInt(atoms));
  };
  return {
    ...Object.fromEntries(LISTS.map((list) => [listName(list), (policy[list.field][list.part] ?? []).join("\n")])),
    ...Object.fromEntries(AMOUNT_FIELDS.map((field) => [field, amountOf(field)])),
    maxInFlightCount: String(policy.maxInFlightCount ?? ""),
    ...(chain === "aptos" && { orderless: policy.orderless ? "yes" : "no" }),
  };
}

/** The fields of a policy, filled with one. Amounts are in coins. */
export function PolicyFields(props: {
  readonly policy: PolicyView;
  readonly chain: Chain;
  /** The fields that were sent last, if they were refused. */
  readonly form: URLSearchParams;
  readonly problem: Problem | null;
}) {
  const { policy, chain, form, problem } = props;
  const texts = policyTexts(policy, chain);
  return (
    <>
      <Originals texts={texts} form={form} />
      {LISTS.map((list) => {
        const { label, hint } = list;
        const name = listName(list);
        const message = problem?.errors?.find(({ path }) => path.startsWith(`policy.${name}`))?.message;
        const fault = message === undefined ? null : sentence(faultWords(message));
        return (
          <div class="field">
            <label for={`f-${name}`}>{label}</label>
            <textarea
              id={`f-${name}`}
              name={name}
              rows={3}
              spellcheck={false}
              aria-describedby={fault === null ? `${name}-hint` : `${name}-fault ${name}-hint`}
              aria-invalid={fault === null ? undefined : "true"}
            >
              {form.get(name) ?? texts[name]}
            </textarea>
            {fault !== null && (
              <p class="fault" id={`${name}-fault`}>
                {fault}
              </p>
            )}
            <p class="hint" id={`${name}-hint`}>
              {hint}
            </p>
          </div>
        );
      })}
      {AMOUNT_FIELDS.map((field) => (
        <Field
          name={field}
          path={`policy.${field}`}
          label={`${LABELS[field]}, ${coinName(chain)}`}
          value={form.get(field) ?? texts[field]}
          inputmode="decimal"
          problem={problem}
          hint="Empty: no limit."
        />
      ))}
      <Field
        name="maxInFlightCount"
        path="policy.maxInFlightCount"
        label="Most sponsorships that are open at once"
        value={form.get("maxInFlightCount") ?? texts.maxInFlightCount}
        inputmode="numeric"
        problem={problem}
        hint="Empty: no limit. 0: nothing is sponsored."
      />
      {chain === "aptos" && (
        <Field
          name="orderless"
          path="policy.orderless"
          label="Orderless transactions"
          value={form.get("orderless") ?? texts.orderless}
          options={ORDERLESS}
          problem={problem}
          hint="A key and its fund must both allow them."
        />
      )}
    </>
  );
}

function linesOf(text: string): readonly string[] | null {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.length === 0 ? null : lines;
}

/** Sends a text that is not an amount unchanged, so that the service's own schema refuses it beside its field. */
function sentAmount(chain: Chain, text: string): string | null {
  return text === "" ? null : (atomsOfText(chain, text)?.toString() ?? text);
}

const POLICY_FIELDS: ReadonlySet<string> = new Set([
  ...LISTS.map(listName),
  ...AMOUNT_FIELDS,
  "maxInFlightCount",
  "orderless",
]);

/** Makes the change of a policy that some fields of a form ask for. The service's schema checks it. */
export function policyOfForm(form: URLSearchParams, chain: Chain, fields = POLICY_FIELDS): Record<string, unknown> {
  const text = (name: string) => (form.get(name) ?? "").trim();
  const lists = (of: "moveTargets" | "senders") => {
    const sent = LISTS.filter((list) => list.field === of && fields.has(listName(list)));
    const parts = sent.map((list) => [list.part, linesOf(form.get(listName(list)) ?? "")]);
    return parts.length === 0 ? {} : { [of]: Object.fromEntries(parts) };
  };
  const amounts = AMOUNT_FIELDS.filter((field) => fields.has(field));
  const count = text("maxInFlightCount");
  return {
    ...lists("moveTargets"),
    ...lists("senders"),
    ...Object.fromEntries(amounts.map((field) => [field, sentAmount(chain, text(field))])),
    ...(fields.has("maxInFlightCount") && { maxInFlightCount: count === "" ? null : numberOr(count) }),
    ...(chain === "aptos" && fields.has("orderless") && { orderless: text("orderless") === "yes" }),
  };
}

/**
 * Makes the change of a policy from the typed fields, with only the new values. Empty if nothing changed. Null if
 * another person has changed the policy since the form was made.
 */
export function policyChange(
  form: URLSearchParams,
  policy: PolicyView,
  chain: Chain,
): Readonly<Record<string, unknown>> | null {
  const changed = changedFields(form, policyTexts(policy, chain));
  return changed && policyOfForm(form, chain, changed);
}

/** Returns the number that a text is. Any other text is sent as it is, for the schema to refuse. */
export function numberOr(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
