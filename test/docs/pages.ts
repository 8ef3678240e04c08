import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { root } from "../../shared/cli/root.ts";

/** Folders that hold no source: installed, built, or the state of a local run. */
const NO_SOURCE = /^(node_modules|dist|\.git|\.wrangler|\.gasworks.*)$/;
const MAX_README_BYTES = 8_000;
const TOP_FOLDERS = /^(functions|shared|test|\.ci)\//;
const SOURCE_ENDINGS = /\.(ts|js|mjs|json|toml|md|ndjson|html|css)$/;

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The repository's files, and its folders with a slash at the end: from the root. */
export type Tree = ReadonlySet<string>;

export async function readTree(): Promise<Tree> {
  const tree = new Set<string>();
  async function read(folder: string): Promise<void> {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (NO_SOURCE.test(entry.name)) continue;
      const path = folder + entry.name;
      if (!entry.isDirectory()) tree.add(path);
      else {
        tree.add(`${path}/`);
        await read(`${path}/`);
      }
    }
  }
  await read("");
  return tree;
}

export async function readPage(path: string): Promise<Page> {
  return { path, text: await readFile(join(root, path), "utf8") };
}

/** Every Markdown file of the repository, in alphabetical order, the README first. */
export async function readPages(tree: Tree): Promise<readonly Page[]> {
  const paths = [...tree].filter((path) => path.endsWith(".md") && path !== "README.md").sort();
  return Promise.all(["README.md", ...paths].map(readPage));
}

/**
 * The text under a heading of the second level, up to the next one.
 *
 * @throws Error if the page has no such heading.
 */
export function section({ path, text }: Page, title: string): string {
  const [, below] = text.split(`\n## ${title}\n`);
  if (below === undefined) throw new Error(`${path} has no section "${title}"`);
  return below.split("\n## ")[0] ?? "";
}

interface Block {
  /** The words after the three backticks. */
  readonly info: string;
  readonly text: string;
  /** The line of the three backticks, from 1. */
  readonly line: number;
}

/** The fenced blocks of a page. */
export function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: info = "", 2: inner = "" }) => ({
    info,
    text: inner,
    line: text.slice(0, index).split("\n").length,
  }));
}

function proseOf(text: string): string {
  return text.replace(/^```.*\n[\s\S]*?^```$/gm, "");
}

/** The texts of inline code. */
function inlineCode(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** The inline code of a text that names a path of the repository from its root. */
export function namedPaths(text: string): readonly string[] {
  return inlineCode(text).filter((code) => TOP_FOLDERS.test(code) && /^[\w./-]+$/.test(code));
}

/** The commands that the test of the pages runs as printed: the blocks marked `sh run`. */
export function runCommands({ text }: Page): readonly string[] {
  return blocksOf(text).flatMap(({ info, text: command }) => (info === "sh run" ? [command] : []));
}

/** A path as a page writes it, from the root. */
function fromRoot(page: Page, path: string): string {
  const joined = normalize(join(dirname(page.path), path));
  return joined === "." || joined === "./" ? "" : joined;
}

function isThere(tree: Tree, path: string): boolean {
  return path === "" || tree.has(path) || tree.has(`${path}/`);
}

/** As GitHub makes the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

function anchorsOf({ text }: Page): ReadonlySet<string> {
  return new Set([...proseOf(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}

/** The relative links of a page whose file or heading does not exist. */
function deadLinks(page: Page, tree: Tree, pages: readonly Page[]): readonly string[] {
  const targets = [...proseOf(page.text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page.path : fromRoot(page, path);
    if (!isThere(tree, file)) return true;
    const aim = pages.find((one) => one.path === file);
    return anchor !== undefined && (aim === undefined || !anchorsOf(aim).has(anchor));
  });
}

/**
 * Inline code of a page that looks like a path and does not exist. A path counts from the root or from the page's
 * folder. A bare file name counts if any file has it.
 */
function deadPaths(page: Page, tree: Tree): readonly string[] {
  const names = new Set([...tree].map((path) => path.slice(path.lastIndexOf("/") + 1)));
  return inlineCode(page.text).filter((code) => {
    if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(code)) return false;
    const isPath = TOP_FOLDERS.test(code) || (code.includes("/") && SOURCE_ENDINGS.test(code));
    if (isPath) return !isThere(tree, code) && !isThere(tree, fromRoot(page, code));
    return /^[\w-][\w.-]*\.(ts|js|mjs|md)$/.test(code) && !names.has(code);
  });
}

/** The command blocks of a page that do not say how they run, or name a test that does not exist. */
function unmarkedCommands({ text }: Page, tree: Tree): readonly string[] {
  return blocksOf(text).flatMap(({ info, text: command }) => {
    if (!/^(sh|bash|shell|console)\b/.test(info)) return [];
    const [, test] = /^sh run by (\S+)$/.exec(info) ?? [];
    const isMarked = info === "sh run" || /^sh not run: \S/.test(info) || (test !== undefined && tree.has(test));
    return isMarked ? [] : [`\`\`\`${info}: ${command.split("\n")[0]}`];
  });
}

/** Everything that is wrong with the pages, a line each. */
export function pageFindings(pages: readonly Page[], tree: Tree): readonly string[] {
  return pages.flatMap((page) => {
    const bytes = Buffer.byteLength(page.text);
    const isTooLong = page.path === "README.md" && bytes > MAX_README_BYTES;
    return [
      ...(isTooLong ? [`${page.path} has ${bytes} bytes, above ${MAX_README_BYTES}`] : []),
      ...deadLinks(page, tree, pages).map((target) => `${page.path}: dead link: ${target}`),
      ...deadPaths(page, tree).map((path) => `${page.path}: no such path: ${path}`),
      ...unmarkedCommands(page, tree).map((fence) => `${page.path}: the block does not say how it runs: ${fence}`),
    ];
  });
}
