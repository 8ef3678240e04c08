import { describe, expect, test } from "vitest";
import { root } from "../../shared/cli/build.ts";
import { differencesOfTwins, exportedNames, fundSources } from "./twins.ts";

const SUI = `/** Sui only (coinsOf): an Aptos fund has no coins. */

export interface SuiStore {}
export function settle() {}
export function coinsOf() {}
export const availableMist = 1n;
`;
const APTOS = `export interface AptosStore {}
export function settle() {}
export const availableOctas = 1n;
`;

function differences(sui: Readonly<Record<string, string>>, aptos: Readonly<Record<string, string>>) {
  return differencesOfTwins(new Map(Object.entries(sui)), new Map(Object.entries(aptos)));
}

describe("the files of the two funds", () => {
  test("are twins, or say why not", () => {
    expect(differencesOfTwins(fundSources(root, "sui"), fundSources(root, "aptos"))).toEqual([]);
  });

  test("pass with the same exports in the same order, whatever chain and unit their names tell", () => {
    expect(differences({ "a.ts": SUI }, { "a.ts": APTOS })).toEqual([]);
    expect([...exportedNames(SUI).keys()]).toEqual(["settle", "coinsOf", "availableAtoms"]);
  });

  test("fail when two exports stand in another order", () => {
    const turned = `${APTOS}export function coinsOf() {}\n`
      .replace("settle", "first")
      .concat("export function settle() {}");
    const lines = differences({ "a.ts": SUI.replace(" (coinsOf)", " (x)") }, { "a.ts": turned });
    expect(lines).toContain("fund/{sui,aptos}/a.ts: settle and availableAtoms stand in another order");
  });

  test("fail when a file imports from the other chain, types included", () => {
    const importing = `import type { AptosStore } from "../aptos/store.ts";\n${SUI}`;
    expect(differences({ "a.ts": SUI }, { "a.ts": APTOS })).toEqual([]);
    expect(differences({ "a.ts": importing }, { "a.ts": APTOS })).toContain(
      "fund/sui/a.ts: imports ../aptos/store.ts of the other chain",
    );
  });

  test("fail when an export has no twin and no line", () => {
    const extra = `${APTOS}export function sequenceOf() {}\n`;
    expect(differences({ "a.ts": SUI }, { "a.ts": extra })).toEqual(["fund/aptos/a.ts: sequenceOf has no twin"]);
  });

  test("fail when a file has no twin and no line", () => {
    const line = 'fund/sui/b.ts has no twin and no line "Sui only: …"';
    expect(differences({ "b.ts": "export const a = 1;" }, {})).toEqual([line]);
    expect(differences({ "b.ts": "// Sui only: coins are objects.\n\nexport const a = 1;" }, {})).toEqual([]);
  });

  test("fail when a line explains what has a twin", () => {
    const named = differences({ "a.ts": SUI.replace("coinsOf)", "coinsOf, settle)") }, { "a.ts": APTOS });
    expect(named).toEqual(["fund/sui/a.ts: settle is no export without a twin"]);
    const whole = differences({ "a.ts": `// Sui only: coins.\n${SUI}` }, { "a.ts": APTOS });
    expect(whole).toEqual(['fund/sui/a.ts has a twin: its line "Sui only: …" must name exports']);
  });

  test("fail when the line gives no reason, or stands below the first statement", () => {
    const lone = "fund/sui/b.ts has no twin";
    expect(differences({ "b.ts": "// Sui only:\nexport const a = 1;" }, {})[0]).toContain(lone);
    expect(differences({ "b.ts": "export const a = 1;\n// Sui only: coins." }, {})[0]).toContain(lone);
  });
});
