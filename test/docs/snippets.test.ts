import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../shared/cli/root.ts";
import { snippetFindings } from "./snippets.ts";

/** Names that no page has, and no package to load: the real ones take seconds. */
const prelude = join(root, "test/docs/fixture/prelude.ts");

/** The findings of one page, less its path. */
function findings(...blocks: readonly (readonly [info: string, code: string])[]): readonly string[] {
  const text = blocks.map(([info, code]) => `\`\`\`${info}\n${code}\n\`\`\`\n`).join("\n");
  return snippetFindings([{ path: "shared/README.md", text }], prelude).map((line) =>
    line.replace("shared/README.md:", ""),
  );
}

test("a block of TypeScript that does not compile is named by page and line, and so is one without a mark", () => {
  expect(
    findings(
      [
        "ts",
        'import { ADMIN_PATH } from "./http/problem.ts";\nconst path: string = ADMIN_PATH + given;\nawait undefined;',
      ],
      [
        "ts",
        "// functions/x.ts\nimport { ADMIN_PATH } from '../shared/http/problem.ts';\nconst path: number = ADMIN_PATH;",
      ],
      ["ts", "const given = 1;\nconst one: 1 = given;\nmissing();\nconst text: string = process.env.HOME;"],
      ["tsx", "let a: number = ;"],
      ["ts not compiled: it shows a type alone", "a b c"],
      ["js", "a b c"],
      ["ts not compiled:", "a b c"],
    ),
  ).toEqual([
    " the block is neither ts nor says why it is not compiled: ```js",
    " the block is neither ts nor says why it is not compiled: ```ts not compiled:",
    "10: Type 'string' is not assignable to type 'number'.",
    "16: Cannot find name 'missing'.",
    "17: Type 'string | undefined' is not assignable to type 'string'.   Type 'undefined' is not assignable to type 'string'.",
    "21: Expression expected.",
  ]);
});
