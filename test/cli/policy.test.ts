import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadPolicy } from "../../shared/cli/policy.ts";
import { root } from "../../shared/cli/root.ts";

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
  ["an unknown network", 'allowMoveCalls(["SUI_MAINET"], ["0x2::coin::zero"])', /"SUI_MAINET" is not a network/],
])("neither a start nor a deployment takes %s: it names the file and the line", async (_, rule, why) => {
  const path = await policyWith(rule);
  await expect(loadPolicy(path)).rejects.toThrow(why);
  await expect(loadPolicy(`${path}`)).rejects.toThrow(/^functions\/policy\.ts:4: allowMoveCalls: /);
});

const judge = 'judge: () => ({ verdict: "allow" })';

test.each([
  ["without mayAllow", `{ name: "mine", ${judge} }`, /mine: has no mayAllow/],
  [
    "with a mayAllow of another shape",
    `{ name: "mine", mayAllow: ["0x2::coin::zero"], ${judge} }`,
    /mine: mayAllow must/,
  ],
  [
    "with an unknown network",
    `{ name: "mine", mayAllow: { networks: ["SUI_MAINET"], targets: "any" }, ${judge} }`,
    /mine: "SUI_MAINET" is not a network/,
  ],
  [
    "with a placeholder",
    `{ name: "mine", mayAllow: { networks: ["SUI_MAINNET"], targets: ["0x<package>::game::play"] }, ${judge} }`,
    /mine: .* is a placeholder/,
  ],
])(
  "neither a start nor a deployment takes a rule of the app's own %s: it would be locked out, or too much allowed",
  async (_, rule, why) => {
    const loaded = loadPolicy(await policyWith(rule));
    await expect(loaded).rejects.toThrow(why);
    await expect(loaded).rejects.toThrow(/^functions\/policy\.ts: mine: /);
  },
);

test.each([
  ["that only refuses", `{ name: "mine", mayAllow: null, ${judge} }`],
  [
    "that names its calls",
    `{ name: "mine", mayAllow: { networks: ["SUI_MAINNET"], targets: ["0x2::coin::zero"] }, ${judge} }`,
  ],
  [
    "that allows what no list can name",
    `{ name: "mine", mayAllow: { networks: ["SUI_MAINNET"], targets: "any" }, ${judge} }`,
  ],
])("a rule of the app's own %s is loaded", async (_, rule) => {
  await expect(loadPolicy(await policyWith(rule))).resolves.toHaveLength(1);
});
