import type { Command } from "../command.ts";
import { usageError } from "../parse.ts";
import { say } from "../terminal/screen.ts";

const quoted = (words: readonly string[]) => `"${words.join(" ")}"`;

function verbCases(commands: readonly Command[]): readonly string[] {
  const byNoun = Map.groupBy(
    commands.filter(({ name }) => name.includes(" ")),
    ({ name }) => name.split(" ")[0] ?? "",
  );
  return [...byNoun].map(
    ([noun, each]) => `      ${noun}) words=${quoted(each.map(({ name }) => name.slice(noun.length + 1)))} ;;`,
  );
}

function flagCases(commands: readonly Command[]): readonly string[] {
  return commands.map(({ name, flags }) => {
    const pattern = name.includes(" ") ? `"${name}"` : `"${name}"|"${name} "*`;
    return `    ${pattern}) words=${quoted(flags.map((flag) => `--${flag.name}`))} ;;`;
  });
}

function choiceCases(commands: readonly Command[]): readonly string[] {
  const choices = new Map<string, Set<string>>();
  for (const { flags } of commands)
    for (const flag of flags.filter((each) => each.choices.length > 0)) {
      const known = choices.get(flag.name) ?? new Set();
      choices.set(flag.name, new Set([...known, ...flag.choices]));
    }
  return [...choices].map(([name, each]) => `    --${name}) words=${quoted([...each])} ;;`);
}

/** Returns the completion for bash. All words come from the table of commands, so none needs quoting. */
export function bashCompletion(commands: readonly Command[]): string {
  const nouns = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
  return `# Completion of gasworks: eval "$(gasworks completion bash)"
_gasworks() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(nouns)}
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${verbCases(commands).join("\n")}
    esac
  fi
  case "$before" in
${choiceCases(commands).join("\n")}
  esac
  if [ -z "$words" ]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${flagCases(commands).join("\n")}
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _gasworks gasworks`;
}

const SHELLS = ["bash", "zsh"];

/** Returns the command that prints the completion of the given commands. */
export function completionCommand(commands: () => readonly Command[]): Command {
  const command: Command = {
    name: "completion",
    summary: "Print the completion for bash or zsh",
    positionals: [{ name: "shell", description: "bash or zsh", isRequired: true, schema: null }],
    flags: [],
    notes: ['eval "$(gasworks completion bash)" in ~/.bashrc, or with zsh in ~/.zshrc.'],
    run: async ({ words: [shell = ""] }, { screen }) => {
      if (!SHELLS.includes(shell)) throw usageError("<shell>: must be bash or zsh", command);
      // zsh runs completions of bash after this line.
      if (shell === "zsh")
        say(screen.out, "autoload -U +X compinit && compinit -u; autoload -U +X bashcompinit && bashcompinit");
      say(screen.out, bashCompletion(commands()));
      return "ok";
    },
  };
  return command;
}
