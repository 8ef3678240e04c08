import { SECRET_FORMS } from "../../shared/secret-forms.ts";

const SECRET = Object.values(SECRET_FORMS)
  .map(({ source }) => source)
  .join("|");

/**
 * The script of the dashboard. Every page works without it. It adds copy buttons, and numbers that follow the service.
 * It lets a keyboard or a finger select days of a plot. It refuses secrets in search fields.
 */
export const script = `"use strict";
(() => {
  const EVERY_MS = 15000;
  const said = document.createElement("p");
  said.className = "skip";
  said.setAttribute("role", "status");
  document.body.append(said);

  const addCopy = (root) => {
    for (const element of root.querySelectorAll("[data-copy]")) {
      if (element.classList.contains("amount") || element.closest("a, td, .tip")) continue;
      if (element.nextElementSibling?.classList.contains("copy")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy " + (element.dataset.name ?? element.dataset.copy));
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(element.dataset.copy);
        button.textContent = "Copied";
        said.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; said.textContent = ""; }, 1500);
      });
      element.after(button);
    }
  };

  const addZoom = (root) => {
    for (const figure of root.querySelectorAll(".plot")) {
      const svg = figure.querySelector("svg");
      const columns = [...figure.querySelectorAll(".column")];
      const tip = figure.querySelector("p");
      if (svg === null || tip === null || columns.length === 0) continue;
      const whole = tip.textContent;
      let at = -1;
      const show = (index) => {
        at = Math.max(0, Math.min(columns.length - 1, index));
        tip.textContent = columns[at].querySelector("title")?.textContent ?? whole;
      };
      svg.addEventListener("pointermove", (event) => {
        const index = columns.indexOf(event.target);
        if (index >= 0) show(index);
      });
      svg.addEventListener("pointerleave", () => { at = -1; tip.textContent = whole; });
    }
  };

  const was = new Map();
  for (const element of document.querySelectorAll("[data-live]")) was.set(element.id, element.innerHTML);

  const update = async () => {
    if (document.hidden) return;
    const shown = [...document.querySelectorAll("[data-live]")];
    if (shown.length === 0 || shown.some((element) => element.contains(document.activeElement))) return;
    const answered = await fetch(shown[0].dataset.live || location.href, { headers: { accept: "text/html" } }).catch(() => null);
    if (answered === null || !answered.ok || answered.redirected) {
      if (!("offline" in document.documentElement.dataset)) said.textContent = "The service does not answer.";
      document.documentElement.dataset.offline = "true";
      return;
    }
    if ("offline" in document.documentElement.dataset) said.textContent = "The service answers again.";
    delete document.documentElement.dataset.offline;
    const fresh = new DOMParser().parseFromString(await answered.text(), "text/html");
    for (const element of shown) {
      const next = fresh.getElementById(element.id);
      if (next === null || next.innerHTML === was.get(element.id)) continue;
      was.set(element.id, next.innerHTML);
      element.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
      addCopy(element);
      addZoom(element);
    }
  };

  const secret = new RegExp(${JSON.stringify(SECRET)});
  for (const field of document.querySelectorAll("form.filters input, .find input")) {
    const check = () => field.setCustomValidity(secret.test(field.value)
      ? "This is a secret, and is not sent. Search for an id, a digest or a hash."
      : "");
    field.addEventListener("input", check);
    field.addEventListener("change", check);
  }

  addCopy(document);
  addZoom(document);
  if (was.size > 0) setInterval(update, EVERY_MS);
})();
`;
