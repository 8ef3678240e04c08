import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { configHome, run } from "../../../support/command-line.ts";

const execute = promisify(execFile);
/** Debian's package, or whatever ZSH names. `.ci/run` installs it. */
const { ZSH = "zsh" } = process.env;

/** What a person has typed before the tab, and what the shell then offers. */
const TYPED: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ["gasworks wa", ["wallet"]],
  ["gasworks fund rec", ["reconcile", "recover"]],
  ["gasworks fund create --net", ["--network"]],
  ["gasworks fund create --network APTOS_L", ["APTOS_LOCALNET"]],
  ["gasworks explain --fu", ["--fund"]],
];

let scripts: Readonly<Record<string, string>>;
beforeAll(async () => {
  const [bash, zsh] = [await run(["completion", "bash"]), await run(["completion", "zsh"])];
  scripts = { bash: bash.out, zsh: zsh.out };
});

/** Has bash call its completion as a tab does, and returns what it offers. */
async function offeredByBash(typed: string): Promise<readonly string[]> {
  const words = typed.split(" ");
  const tab = `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _gasworks; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execute("bash", ["--norc", "-uec", `${scripts.bash}\ncomplete -p gasworks >&2\n${tab}`]);
  return stdout.trim().split("\n");
}

test.each(TYPED)("bash offers after %s what the command takes", async (typed, offered) => {
  expect(await offeredByBash(typed)).toEqual(offered);
});

/** Types into a real zsh on a terminal of its own, presses tab, and returns the line that it then has. */
async function completedByZsh(typed: string): Promise<string> {
  const folder = await configHome();
  const script = join(folder, "tab.zsh");
  await writeFile(join(folder, "completion"), scripts.zsh ?? "");
  // zsh's own module for terminals drives a second zsh, as a person would. The widget prints the line after the tab.
  await writeFile(
    script,
    `zmodload zsh/zpty
zpty shell ${ZSH} -f -i
zpty -w shell "unset zle_bracketed_paste; PS1=; source ${folder}/completion"
zpty -w shell 'show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey "^G" show; print rea""dy'
zpty -r -m shell line '*ready*'
zpty -w -n shell ${JSON.stringify(typed)}$'\\t'$'\\a'
zpty -r -m shell line '*<*>*'
print -r -- "$line"
zpty -d shell
`,
  );
  await chmod(script, 0o700);
  const { stdout } = await execute(ZSH, ["-f", script], { env: { ...process.env, HOME: folder, TERM: "dumb" } });
  return /<([^>]*)>/.exec(stdout)?.[1]?.trim() ?? stdout;
}

test.each(TYPED.filter(([, offered]) => offered.length === 1))("zsh completes %s", async (typed, [word = ""]) => {
  const before = typed.split(" ").slice(0, -1).join(" ");
  expect(await completedByZsh(typed)).toBe(`${before} ${word}`);
});
