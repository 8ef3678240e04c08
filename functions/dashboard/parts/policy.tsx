import type { PolicyView } from "../../../shared/policy/policy-schema.ts";
import { type PolicyOwner, policyInWords } from "../../../shared/policy/policy-words.ts";

/** Returns the rules that have an effect. Only Aptos has orderless transactions. */
function shownRules(policy: PolicyView, owner: PolicyOwner) {
  return policyInWords(policy, owner).filter(({ field }) => field !== "orderless" || owner.chain === "aptos");
}

/** Shows a policy in plain words. Each open rule names its risk. */
export function PolicyInWords({ policy, owner }: { readonly policy: PolicyView; readonly owner: PolicyOwner }) {
  return (
    <ul class="rules">
      {shownRules(policy, owner).map(({ field, sentence, isOpen, risk }) => (
        <li class={isOpen ? "open" : "set"}>
          <span class={isOpen && risk !== null ? "tag warn" : isOpen ? "tag" : "tag ok"}>
            {isOpen ? "No limit" : "Limit"}
          </span>
          <span>
            {sentence}
            {risk !== null && <span class="dim"> {risk}</span>} <code class="dim">{field}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}
