import type { AnsweredExecution, AnsweredSponsorship } from "./answer.ts";
import type { ExplainedCost } from "./explanation.ts";
import { textOf } from "./text-of.ts";

/** The parts of the gas by their names on the chain, as a reader calls them. */
const GAS_PARTS: Readonly<
  Record<string, { readonly label: string; readonly note: string; readonly isAmount: boolean }>
> = {
  computationCost: { label: "Computation", note: "", isAmount: true },
  storageCost: { label: "Storage", note: "what the new objects pay for their place", isAmount: true },
  storageRebate: { label: "Storage rebate", note: "given back for objects that are gone", isAmount: true },
  nonRefundableStorageFee: { label: "Kept of the rebate", note: "the chain keeps it", isAmount: true },
  gasUsedUnits: { label: "Gas used", note: "units", isAmount: false },
  gasUnitPrice: { label: "Price of a unit", note: "", isAmount: true },
  storageRefund: { label: "Storage refund", note: "given back for what is gone", isAmount: true },
};

const DECIMAL = /^\d{1,24}$/;

function gasParts({ gas }: AnsweredExecution): readonly ExplainedCost[] {
  return Object.entries(gas).map(([name, text]) => {
    const { label, note, isAmount } = textOf(GAS_PARTS, name) ?? { label: name, note: "", isAmount: false };
    const isShown = isAmount && DECIMAL.test(text);
    return isShown ? { label, atoms: BigInt(text), note } : { label, atoms: null, note: `${text} ${note}`.trim() };
  });
}

/** Lists what a sponsorship cost, the sum first. */
export function sponsorshipCosts(row: AnsweredSponsorship, execution: AnsweredExecution | null) {
  const { charged, fee, maintenance, gasBudget } = row;
  const costs: ExplainedCost[] = [
    charged === null
      ? { label: "Charged", atoms: null, note: "nothing so far" }
      : { label: "Charged", atoms: BigInt(charged), note: "by the chain, less the rebate" },
    ...(execution === null ? [] : gasParts(execution)),
    { label: "Your fee", atoms: BigInt(fee), note: charged === null ? "earned if it completes" : "" },
    ...(maintenance === null
      ? []
      : [{ label: "Taking its coin back", atoms: BigInt(maintenance), note: "charged to the key" }]),
    { label: "Gas budget", atoms: BigInt(gasBudget), note: "the most that it could cost" },
  ];
  return costs;
}
