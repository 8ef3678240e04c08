import type { Page } from "playwright-core";

/** The example's page as a user finds it: by what is written there. */

export type Card = "sui-embedded" | "sui-own-key" | "aptos-embedded" | "aptos-own-key";
export const CARDS: readonly Card[] = ["sui-embedded", "sui-own-key", "aptos-embedded", "aptos-own-key"];

const NAMES: Readonly<Record<Card, string>> = {
  "sui-embedded": "on Sui with the embedded wallet",
  "sui-own-key": "on Sui with the key in this browser",
  "aptos-embedded": "on Aptos with the embedded wallet",
  "aptos-own-key": "on Aptos with the key in this browser",
};

export async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Sign in" }).click();
  const alert = page.getByRole("alert");
  await page.getByRole("heading", { name: "Signed in as" }).or(alert).waitFor();
  if (await alert.isVisible()) throw new Error(await alert.innerText());
}

export function mintButton(page: Page, card: Card) {
  return page.getByRole("button", { name: `Mint ${NAMES[card]}`, exact: true });
}

export function askAgainButton(page: Page, card: Card) {
  return page.getByRole("button", { name: `Ask again ${NAMES[card]}`, exact: true });
}

export async function nameBadge(page: Page, badge: string): Promise<void> {
  await page.getByLabel("Name of the badge to mint").fill(badge);
}

/** What stands in the form. */
export function proposedName(page: Page): Promise<string> {
  return page.getByLabel("Name of the badge to mint").inputValue();
}

export interface Shown {
  readonly address: string;
  readonly title: string;
  /** `Badge`, `Transaction`, `Gas`. */
  readonly facts: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What a card says once its minting has ended. */
export async function resultOf(page: Page, card: Card): Promise<Shown> {
  const article = page.locator(`#${card}`);
  const result = article.locator(".result.good, .result.bad");
  await result.waitFor();
  const names = await result.locator("dt").allInnerTexts();
  const values = await result.locator("dd").allInnerTexts();
  return {
    address: (await article.locator(".address").textContent()) ?? "",
    title: await result.locator("strong").innerText(),
    facts: Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""])),
    text: await result.innerText(),
  };
}

/** Mints and waits for the end. @param badge left out: under the name that stands in the form. */
export async function mint(page: Page, card: Card, badge?: string): Promise<Shown> {
  if (badge !== undefined) await nameBadge(page, badge);
  await mintButton(page, card).click();
  return resultOf(page, card);
}
