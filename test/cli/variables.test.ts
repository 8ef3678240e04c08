import { expect, test } from "vitest";
import { LOCAL } from "../../shared/cli/place.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { LaunchError } from "../../shared/cli/terminal.ts";
import { checkVariables } from "../../shared/cli/variables.ts";

const bundle = { vars: { REGION: "us1" }, kvBindings: ["KV"] };
const good = { ...randomSecrets(), FLOWS_SUI_KEY: "us1_sui_localnet_key", SESSION_STORE: "kv" };

test("a configuration that the service takes is taken", () => {
  expect(() => checkVariables(good, bundle, LOCAL)).not.toThrow();
});

test.each([
  [{ FLOWS_ORIGINS: "https://*.vercel.app" }, /^\.dev\.vars or wrangler\.toml: FLOWS_ORIGINS.+$/],
  [{ MASTER_KEYS: "nonsense" }, /^\.dev\.vars or wrangler\.toml: MASTER_KEYS must be .+ openssl rand -base64 32$/],
  [{ SUI_MAINNET_NODES: "node.example.com" }, /^\.dev\.vars or wrangler\.toml: SUI_MAINNET_NODES: entry 1 .+$/],
])("a bad one is refused before the start, in one line that names the variable and the fix: %o", (bad, line) => {
  const check = () => checkVariables({ ...good, ...bad }, bundle, LOCAL);
  expect(check).toThrow(LaunchError);
  expect(check).toThrow(line);
});
