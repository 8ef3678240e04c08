import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { askOn } from "../../../../functions/service/admin/cli/terminal/ask.ts";

/** Asks on a terminal whose person presses these keys. */
async function asked(keys: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = askOn({ input, output, terminal: true }, "Sure? ");
  input.write(keys);
  return { answer, shown: () => text(output.end()) };
}

test("an answer is the line before Enter", async () => {
  const { answer, shown } = await asked("yes\r");
  expect([await answer, (await shown()).includes("Sure? ")]).toEqual(["yes", true]);
});

test("Ctrl-D is an empty answer, and the next text begins on a line of its own", async () => {
  const { answer, shown } = await asked("\u0004");
  expect([await answer, (await shown()).endsWith("\n")]).toEqual(["", true]);
});

test("the end of an input without keys is an empty answer", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = askOn({ input, output, terminal: false }, "Sure? ");
  input.end();
  expect(await answer).toBe("");
});

test("Ctrl-C at a question ends the command as interrupted", async () => {
  const { answer } = await asked("ye\u0003");
  await expect(answer).rejects.toMatchObject({ exit: "interrupted" });
});
