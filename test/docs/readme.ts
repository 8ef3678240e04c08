import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../shared/cli/build.ts";

export function readReadme(): Promise<string> {
  return readFile(join(root, "README.md"), "utf8");
}

/** The text under a heading, up to the next one of its level. */
export function section(readme: string, title: string): string {
  const [, text] = readme.split(`\n## ${title}\n`);
  if (text === undefined) throw new Error(`the README has no section "${title}"`);
  return text.split("\n## ")[0] ?? "";
}

/** Paths of the repository that are named as inline code: with a slash, and nothing of a URL or a placeholder. */
export function namedPaths(markdown: string): readonly string[] {
  const prose = markdown.replace(/^```.*?^```$/gms, "");
  const code = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? "");
  return code.filter((text) => /^(functions|shared|test|\.ci)\/[\w./-]*$/.test(text));
}

/** Fenced commands marked `sh run`. Other fences install, start or deploy, or need an id from an earlier answer. */
export function runnableCommands(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```sh run\n(.*?)^```$/gms)].map(([, command]) => command ?? "");
}

/** Every fenced `curl` or `node`, in order. Most name the ids that they need as shell variables. */
export function commandsByIds(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```sh(?: run)?\n((?:curl|node) .*?)^```$/gms)].map(([, command]) => command ?? "");
}
