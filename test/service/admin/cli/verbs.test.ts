import { expect, test } from "vitest";
import { allCommands, routeName } from "../../../../functions/service/admin/cli/commands/index.ts";
import { exitCodes, exitMeanings } from "../../../../functions/service/admin/cli/exit-codes.ts";
import { presets, verbs } from "../../../../functions/service/admin/cli/verbs.ts";
import { routes } from "../../../../functions/service/admin/routes.ts";
import { run } from "../../../support/command-line.ts";

const commands = allCommands();

test("every route of the admin API has a verb, and every verb has a route", () => {
  expect(Object.keys(verbs).toSorted()).toEqual(routes.map(routeName).toSorted());
});

test("every verb is a command, and no name is taken twice", () => {
  const names = commands.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const wanted = [...Object.values(verbs), ...presets].map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(wanted));
});

test("no word is both a noun and a command, and none hides a verb", () => {
  const words = commands.filter(({ name }) => !name.includes(" ")).map(({ name }) => name);
  const nouns = commands.filter(({ name }) => name.includes(" ")).map(({ name }) => name.split(" ")[0]);
  expect(words.filter((word) => nouns.includes(word))).toEqual([]);
});

test("no command has two flags of one name, and each flag is in kebab-case", () => {
  for (const { name, flags } of commands) {
    const names = flags.map((flag) => flag.name);
    expect([name, names]).toEqual([name, [...new Set(names)]]);
    for (const flag of names) expect(flag).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
  }
});

test("every field of a request has a flag", () => {
  const create = commands.find(({ name }) => name === "fund create");
  expect(create?.flags.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "name",
      "network",
      "policy-move-targets-allow",
      "policy-max-gas-budget",
      "limits-fund-bytes",
    ]),
  );
});

test("every change that takes something away asks first", () => {
  const taking = /withdraw|revoke|delete|force-close|drop-coin|rotate|rewrap|disable|recover|close|reopen|pause|export/;
  const harmless = ["webhook disable", "audit verify"];
  for (const { name, flags } of commands.filter((command) => taking.test(command.name))) {
    if (harmless.includes(name)) continue;
    expect([name, flags.some((flag) => flag.name === "yes")]).toEqual([name, true]);
  }
});

test("an amount says its unit in the help", async () => {
  const { out } = await run(["fund", "withdraw", "--help"]);
  expect(out).toMatch(/--amount <amount> +required; MIST or octas/);
});

test("each command has a help that fits a terminal, and the help of all names each exit code", async () => {
  for (const { name } of commands) {
    const { exit, out } = await run([...name.split(" "), "--help"], { isTerminal: true });
    expect([name, exit]).toEqual([name, "ok"]);
    for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  }
  const { out } = await run(["--help"]);
  for (const exit of Object.values(exitCodes)) expect(out).toMatch(new RegExp(`^ +${exit} `, "m"));
  expect(Object.keys(exitMeanings)).toEqual(Object.keys(exitCodes));
});
