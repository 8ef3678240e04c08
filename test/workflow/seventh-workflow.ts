import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../shared/cli/root.ts";

const PAGE = "functions/README.md";

/** The text of each fenced block of functions/README.md in this language. */
export async function blocksOf(language: string): Promise<readonly string[]> {
  const page = await readFile(join(root, PAGE), "utf8");
  const fence = new RegExp(`^\`\`\`${language}\\b.*\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...page.matchAll(fence)].map(([, text = ""]) => text);
}

/**
 * Writes what somebody writes who follows functions/README.md: a file, its import, and one line in workflows.ts.
 *
 * @returns paths and their texts.
 */
export async function seventhWorkflow(): Promise<Readonly<Record<string, string>>> {
  const [file = "", line = ""] = await blocksOf("ts");
  const path = /^\/\/ (functions\/[a-z-]+\.ts)\n/.exec(file)?.[1];
  const [, table, mounted] = /^\/\/ (functions\/[a-z]+\.ts)\n(app\..*)\n$/.exec(line) ?? [];
  const exported = /^export const (\w+) = workflow\(/m.exec(file)?.[1];
  if (path === undefined || table === undefined || mounted === undefined || exported === undefined)
    throw new Error(`${PAGE} shows no workflow, or not where it is mounted`);
  const routes = await readFile(join(root, table), "utf8");
  const last = 'app.post("/flows/sign-transaction", signTransaction);';
  if (!routes.includes(last)) throw new Error(`${table} mounts other workflows than ${PAGE} knows`);
  const imported = `import { ${exported} } from "${path.replace("functions", ".")}";\n`;
  return { [path]: file, [table]: imported + routes.replace(last, `${last}\n  ${mounted}`) };
}
