import { adviceOn, type Failure } from "./advice.ts";
import type { Ending } from "./minting.ts";
import type { Sent } from "./wire.ts";

/** The page's elements. All outside data becomes text, never markup. */

type Constructor<Element> = abstract new () => Element;

/** Returns the one element of a selector. It is in the page's own markup. */
export function one<Found extends Element>(selector: string, kind: Constructor<Found>, within: ParentNode = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`);
  return found;
}

function element(name: "p" | "li" | "dt" | "dd" | "code" | "strong" | "span", text: string, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

/** The state of one step on the page. */
export type StepState = "waiting" | "active" | "done" | "failed";
const SPOKEN: Readonly<Record<StepState, string>> = {
  waiting: "",
  active: "in progress",
  done: "done",
  failed: "failed",
};

/** Shows the steps of a way to mint, each with its state. */
export function showSteps(list: HTMLElement, steps: readonly string[], states: readonly StepState[]): void {
  list.hidden = false;
  list.replaceChildren(
    ...steps.map((step, index) => {
      const state = states[index] ?? "waiting";
      const item = element("li", "");
      item.dataset.state = state;
      item.append(element("span", step));
      if (SPOKEN[state] !== "") item.append(element("span", ` (${SPOKEN[state]})`, "spoken"));
      return item;
    }),
  );
}

/** Shows a long identifier. Only the style sheet cuts it short, so that a copy has all of it. */
function identifier(text: string): HTMLElement {
  const code = element("code", text, "id");
  code.title = text;
  return code;
}

function facts(pairs: readonly (readonly [string, HTMLElement])[]): HTMLElement {
  const list = document.createElement("dl");
  for (const [name, value] of pairs) {
    const description = element("dd", "");
    description.append(value);
    list.append(element("dt", name), description);
  }
  return list;
}

/** Shows the end of an attempt. */
export function showEnding(box: HTMLElement, ending: Ending): void {
  switch (ending.kind) {
    case "minted":
      box.className = "result good";
      box.replaceChildren(
        element("strong", `“${ending.name}” is minted`),
        facts([
          ["Badge", identifier(ending.badge)],
          ["Transaction", identifier(ending.transaction)],
          ["Gas", element("span", `${ending.gas}, paid by the fund`)],
        ]),
      );
      break;
    case "aborted":
      box.className = "result bad";
      box.replaceChildren(
        element("strong", "Executed, and the contract said no"),
        element("p", "The fund has paid for the attempt. On Aptos an account can mint each name once: choose another."),
        facts([
          ["Transaction", identifier(ending.transaction)],
          ["Reason", element("code", ending.why)],
        ]),
      );
      break;
    case "failed":
      showFailure(box, ending.failure);
  }
  box.hidden = false;
}

/** Shows that the call takes long. It continues, and the page shows its end. */
export function showSlow(box: HTMLElement): void {
  box.className = "result";
  box.replaceChildren(
    element("strong", "This is slow"),
    element(
      "p",
      "A node or the service has not answered for five seconds. This page goes on asking for up to 90; nothing is executed twice.",
    ),
  );
  box.hidden = false;
}

/** Shows a failure, with its meaning and the user's options. */
export function showFailure(box: HTMLElement, failure: Failure): void {
  const { title, whatToDo } = adviceOn(failure);
  const { status, code, message } = failure;
  box.className = "result bad";
  box.replaceChildren(
    element("strong", title),
    element("p", whatToDo),
    element("code", `${status ?? ""} ${code}: ${message}`.trim(), "detail"),
  );
  box.hidden = false;
}

const MAX_CALLS_SHOWN = 30;
const MAX_ANSWER_CHARACTERS = 4_000;

/** Shows one call in the log, without tokens. */
export function showCall(list: HTMLElement, { method, path, status, durationMs, body, idempotencyKey, answer }: Sent) {
  const item = element("li", "");
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.append(
    element("span", String(status ?? "–"), status !== null && status < 400 ? "status good" : "status bad"),
    element("code", `${method} ${path.replace(/\?.*/, "")}`),
    element("span", `${durationMs} ms`, "duration"),
  );
  const text = document.createElement("pre");
  text.tabIndex = 0;
  const asked = body === undefined ? "" : `${JSON.stringify(body, null, 2)}\n\n`;
  const named = idempotencyKey === null ? "" : `Idempotency-Key: ${idempotencyKey}\n\n`;
  text.textContent = `${method} ${path}\n${named}${asked}→ ${JSON.stringify(answer, hideToken, 2)}`.slice(
    0,
    MAX_ANSWER_CHARACTERS,
  );
  details.append(summary, text);
  item.append(details);
  list.prepend(item);
  while (list.children.length > MAX_CALLS_SHOWN) list.lastElementChild?.remove();
}

function hideToken(key: string, value: unknown): unknown {
  return key === "token" ? "…" : value;
}
