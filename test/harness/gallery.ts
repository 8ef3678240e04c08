import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, inject } from "vitest";
import * as z from "zod";
import { root } from "../../shared/cli/root.ts";
import { DESKTOP, type Look, PHONE } from "./browser.ts";

/** The looks in which a person may see a page. */
export const LOOKS = {
  "desktop-light": { viewport: DESKTOP, colorScheme: "light" },
  "desktop-dark": { viewport: DESKTOP, colorScheme: "dark" },
  "phone-light": { viewport: PHONE, colorScheme: "light" },
  "phone-dark": { viewport: PHONE, colorScheme: "dark" },
} as const satisfies Readonly<Record<string, Look>>;

const violationsSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullable(),
      nodes: z.array(z.object({ target: z.array(z.string()) })),
    }),
  ),
});

/** Text that a box cuts off and no title holds, and boxes that scroll sideways. */
const SPILLS = `[...document.querySelectorAll("main *, header *")].flatMap((element) => {
  const { overflowX } = getComputedStyle(element);
  const isCut = overflowX === "hidden" && element.closest("[title]") === null && element.scrollWidth > element.clientWidth + 1;
  const scrolls = overflowX === "auto" && element.scrollWidth > element.clientWidth + 1;
  return isCut || scrolls ? [element.tagName + "." + element.className + (isCut ? " is cut" : " scrolls")] : [];
}).concat(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["the page scrolls sideways"] : [])`;

/** Other results than violations take axe as long again. It need not load the style: no rule about turned phones runs. */
const LIGHT_RULES = { resultTypes: ["violations"], preload: false };
const DARK_RULES = { ...LIGHT_RULES, runOnly: { type: "rule", values: ["color-contrast"] } };

/** Looks at pages in each look, and keeps a picture of each. */
export class Gallery {
  readonly #folder: string;
  readonly #axe: string;
  readonly #shown = new WeakMap<Page, string>();
  /** The method and path of each document that was pictured, and of each form that led to another page. */
  readonly seen = new Set<string>();

  private constructor(folder: string, axe: string) {
    this.#folder = folder;
    this.#axe = axe;
  }

  /** Opens a gallery whose pictures lie in a folder of `dist/screenshots`. */
  static async open(name: string): Promise<Gallery> {
    const folder = join(root, "dist/screenshots", name);
    await mkdir(folder, { recursive: true });
    return new Gallery(folder, await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  }

  /** Notes which documents a page shows from now on. */
  watch(page: Page): void {
    page.on("response", (response) => {
      const request = response.request();
      if (!request.isNavigationRequest()) return;
      const name = `${request.method()} ${new URL(request.url()).pathname}`;
      const leadsOn = response.status() >= 300 && response.status() < 400;
      if (leadsOn) this.seen.add(name);
      else this.#shown.set(page, name);
    });
  }

  /** Returns what axe finds on the page, in a line each. Of all its rules, only the contrast depends on the scheme. */
  async findings(page: Page, scheme: Look["colorScheme"]): Promise<readonly string[]> {
    if ((await page.evaluate("'axe' in window")) !== true) await page.evaluate(this.#axe);
    const options = scheme === "light" ? LIGHT_RULES : DARK_RULES;
    const found = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
    const { violations } = violationsSchema.parse(found);
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target }) => `${impact} ${id}: ${target.join(" ")}`),
    );
  }

  /** Takes a picture of the whole page as it is. `npm run ci` takes none, because nobody looks at them. */
  async picture(page: Page, name: string): Promise<void> {
    if (inject("afterShort")) return;
    await page.screenshot({ path: join(this.#folder, `${name}.png`), fullPage: true });
  }

  /** Looks at the present state of a page in each look: axe, its width, and a picture. Nothing is loaded again. */
  async look(page: Page, state: string): Promise<void> {
    for (const [look, { viewport, colorScheme }] of Object.entries(LOOKS)) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const where = `${state}, ${look}`;
      expect.soft(await this.findings(page, colorScheme), where).toEqual([]);
      expect.soft(await page.evaluate(SPILLS), where).toEqual([]);
      await this.picture(page, `${state}-${look}`);
    }
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: "light" });
    const shown = this.#shown.get(page);
    if (shown !== undefined) this.seen.add(shown);
  }
}
