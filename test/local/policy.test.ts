import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadPolicy } from "./policy.ts";
import { root } from "./root.ts";

async function policyWith(rule: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "policy-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "functions", "policy.ts");
  await mkdir(join(directory, "functions"));
  const rules = pathToFileURL(join(root, "shared/policy/rules.ts")).href;
  await writeFile(
    path,
    `import { allowMoveCalls } from ${JSON.stringify(rules)};\n\nexport const policy = [\n  ${rule},\n];\n`,
  );
  return path;
}

test("the policy as shipped is one that can be started and deployed", async () => {
  await expect(loadPolicy()).resolves.toContainEqual(expect.objectContaining({ name: "allowMoveCalls" }));
});

test.each([
  ["a placeholder", 'allowMoveCalls(["SUI_MAINNET"], ["0x<your package>::game::play"])', /is a placeholder/],
  ["an address cut short", 'allowMoveCalls(["SUI_MAINNET"], ["0xdec0de01::game::play"])', /cut short/],
  ["an unknown network", 'allowMoveCalls(["SUI_MAINET"], ["0x2::coin::zero"])', /"SUI_MAINET" is no network/],
])("neither a start nor a deployment takes %s: it names the file and the line", async (_, rule, why) => {
  const path = await policyWith(rule);
  await expect(loadPolicy(path)).rejects.toThrow(why);
  await expect(loadPolicy(`${path}`)).rejects.toThrow(/^functions\/policy\.ts:4: allowMoveCalls: /);
});
