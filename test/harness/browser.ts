import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** The paths of Debian's packages. The first has no windows, and takes three quarters of the CPU time. */
const OF_DEBIAN = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const FIX = "Do: apt-get install chromium-headless-shell, or name another one in CHROMIUM";

/** Returns the path of Debian's Chromium, or of what CHROMIUM names. Nothing is downloaded. */
function chromiumPath(): string {
  const places = process.env.CHROMIUM === undefined ? OF_DEBIAN : [process.env.CHROMIUM];
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`There is no ${places.join(" and no ")}. ${FIX}`);
  return found;
}

export async function startBrowser(): Promise<Browser> {
  // Chromium's sandbox does not run as root, as in containers.
  const chromiumSandbox = process.getuid?.() !== 0;
  return chromium.launch({ executablePath: chromiumPath(), chromiumSandbox });
}

/** Many times what anything on the page takes. */
const STEP_LIMIT_MS = 20_000;

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: "light" | "dark";
}

/** A page of a browser profile of its own, and what it did that a good page does not do. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Of every request that the page made. */
  readonly origins: Set<string>;
  /** Exceptions, each report of a broken policy, and what else the browser complains of. An answer of 403 is none. */
  readonly complaints: string[];
}

/** Runs before the scripts of each page. The policy does not bind it. */
const REPORTS = `addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  reportBrokenPolicy(effectiveDirective + " forbids " + blockedURI))`;

export async function visit(browser: Browser, url: string, look: Look): Promise<Visit> {
  const context = await browser.newContext(look);
  context.setDefaultTimeout(STEP_LIMIT_MS);
  const page = await context.newPage();
  const origins = new Set<string>();
  const complaints: string[] = [];
  await context.exposeBinding("reportBrokenPolicy", (_, report: string) => complaints.push(report));
  await context.addInitScript(REPORTS);
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    complaints.push(message.text());
  });
  await page.goto(url);
  return { page, context, origins, complaints };
}
