import { describe, expect, test } from "vitest";
import { parseConfig } from "../../shared/config/config.ts";
import { ConfigError } from "../../shared/config/error.ts";

const SECRET = btoa("12345678901234567890123456789012");
const OTHER_SECRET = btoa("abcdefghijklmnopqrstuvwxyzabcdef");
const service = { MASTER_KEYS: `1:${SECRET}`, KEY_PEPPERS: `1:${SECRET}`, ADMIN_TOKEN: "a".repeat(24) };
const jwt = { JWT_ISSUER: "i", JWT_AUDIENCE: "a", JWT_JWKS_URL: "https://login.example.com/jwks" };
const flows = { FLOWS_CALLER_SECRET: "b".repeat(24), FLOWS_SUI_KEY: "us1_sui_testnet_00" };
const example = {
  ...service,
  FLOWS_SECRET: SECRET,
  FLOWS_SUI_KEY: "us1_sui_localnet_00",
  FLOWS_APTOS_KEY: "us1_aptos_localnet_00",
  JWT_ISSUER: "https://example.gasworks.invalid",
  JWT_AUDIENCE: "gasworks-example",
  JWT_JWKS_URL: "https://example.gasworks.invalid/example/jwks.json",
  EXAMPLE: "on",
};
const offset = { CLOCK_OFFSET_MS: "60000" };

type Variables = Readonly<Record<string, string>>;
/** A fault, the variables that have it, and parts of its error. */
type Case = [string, Variables, readonly (string | RegExp)[]];

function without(name: keyof typeof service | keyof typeof flows, env: Variables): Variables {
  return Object.fromEntries(Object.entries(env).filter(([key]) => key !== name));
}

describe("an error at the start names the variable and the fix", () => {
  test.each<Case>([
    ["nothing is set", {}, ["MASTER_KEYS", "KEY_PEPPERS", "ADMIN_TOKEN", "FLOWS_CALLER_SECRET", "FLOWS_SUI_KEY"]],
    ["MASTER_KEYS is missing", without("MASTER_KEYS", service), [/^MASTER_KEYS missing/]],
    ["KEY_PEPPERS is missing", without("KEY_PEPPERS", service), [/^KEY_PEPPERS missing/]],
    ["ADMIN_TOKEN is missing", without("ADMIN_TOKEN", service), [/^ADMIN_TOKEN missing/]],
    ["two are missing", { MASTER_KEYS: service.MASTER_KEYS }, [/^KEY_PEPPERS and ADMIN_TOKEN missing/]],
    [
      "a token could not travel as a bearer token",
      { ...service, ADMIN_TOKEN: "correct horse battery staple" },
      ["ADMIN_TOKEN", "without spaces"],
    ],
    ["a token is short", { ...service, ADMIN_TOKEN: "a".repeat(23) }, ["ADMIN_TOKEN", "24", "openssl rand -base64 32"]],
    ["a key is not Base64", { ...service, MASTER_KEYS: "1:nonsense" }, ["MASTER_KEYS", "openssl rand -base64 32"]],
    ["a key has no version", { ...service, MASTER_KEYS: SECRET }, ["MASTER_KEYS", "1:<base64 of 32 bytes>"]],
    ["a key is short", { ...service, MASTER_KEYS: `1:${btoa("short")}` }, ["MASTER_KEYS", "32 bytes"]],
    ["a version is zero", { ...service, KEY_PEPPERS: `0:${SECRET}` }, ["KEY_PEPPERS", "1:<base64 of 32 bytes>"]],
    ["a version is above a byte", { ...service, KEY_PEPPERS: `256:${SECRET}` }, ["KEY_PEPPERS"]],
    [
      "a version is there twice",
      { ...service, MASTER_KEYS: `1:${SECRET},1:${OTHER_SECRET}` },
      ["MASTER_KEYS", "1 occurs twice"],
    ],
    ["a list ends with a comma", { ...service, MASTER_KEYS: `1:${SECRET},` }, ["MASTER_KEYS"]],
    ["a region is malformed", { ...service, REGION: "Europe" }, ["REGION", "us1"]],
    [
      "a node is not a URL",
      { ...service, SUI_TESTNET_NODES: "https://a.example fullnode" },
      ["SUI_TESTNET_NODES", "URL"],
    ],
    ["a node is not http", { ...service, SUI_TESTNET_NODES: "ftp://a.example" }, ["SUI_TESTNET_NODES", "http"]],
    [
      "there are too many nodes",
      { ...service, SUI_DEVNET_NODES: "https://a.example ".repeat(7) },
      ["SUI_DEVNET_NODES", "6"],
    ],
    ...["https://a.example/?key=abc", "https://a.example/v1#", "https://user:abc@a.example"].map(
      (url): Case => [
        "what is asked for could not go behind a node",
        { ...service, SUI_DEVNET_NODES: url },
        ["entry 1"],
      ],
    ),
    ["the workflows lack their key", without("FLOWS_SUI_KEY", flows), ["FLOWS_CALLER_SECRET", "FLOWS_SUI_KEY"]],
    [
      "the workflows lack their secret",
      without("FLOWS_CALLER_SECRET", flows),
      ["FLOWS_CALLER_SECRET", "FLOWS_SUI_KEY"],
    ],
    [
      "the workflows' secret is short",
      { ...service, ...flows, FLOWS_CALLER_SECRET: "b" },
      ["FLOWS_CALLER_SECRET", "24"],
    ],
    [
      "the workflows' wallet secret is no secret of 32 bytes",
      { ...service, ...flows, FLOWS_SECRET: `${SECRET}A` },
      ["FLOWS_SECRET", "32 bytes"],
    ],
    ["the workflows have no service", flows, ["FLOWS_BASE_URL missing"]],
    ...Object.entries({
      FLOWS_BASE_URL: "https://gasworks.example.com",
      FLOWS_ORIGINS: "https://app.example.com",
      WEBHOOK_SECRETS: `users=whsec_${SECRET}`,
    }).map(
      ([name, value]): Case => [
        `${name} is set, and nothing would heed it`,
        { ...service, [name]: value },
        [new RegExp(`^${name} has no effect`), "FLOWS_CALLER_SECRET", "FLOWS_SUI_KEY"],
      ],
    ),
    [
      "the wallets' secret is malformed, although no workflow needs it yet",
      { ...service, FLOWS_SECRET: "secret" },
      ["FLOWS_SECRET", "32 bytes"],
    ],
    [
      "an issuer takes the name of those whom the back end names",
      { ...service, ...flows, ...jwt, JWT_ISSUER: "gasworks:flows:caller-secret" },
      ["JWT_ISSUER must not be"],
    ],
    ["a third of what tokens need is set", { ...service, ...flows, JWT_ISSUER: "i" }, ["JWT_AUDIENCE", "JWT_JWKS_URL"]],
    ...["http://login.example.com/jwks", "https://127.0.0.1/jwks", "https://[::1]/jwks", "login.example.com"].map(
      (JWT_JWKS_URL): Case => [
        `the keys are at ${JWT_JWKS_URL}`,
        { ...service, ...flows, ...jwt, JWT_JWKS_URL },
        ["JWT_JWKS_URL", "https"],
      ],
    ),
    ...[
      "https://app.example.com/",
      "https://app.example.com/path",
      "*",
      "app.example.com",
      "null",
      "https://*.vercel.app",
    ].map(
      (FLOWS_ORIGINS): Case => [
        `the origin is ${FLOWS_ORIGINS}`,
        { ...service, ...flows, ...jwt, FLOWS_ORIGINS },
        ["FLOWS_ORIGINS"],
      ],
    ),
    [
      "pages have no tokens to call with",
      { ...service, ...flows, FLOWS_ORIGINS: "https://app.example.com" },
      ["FLOWS_ORIGINS", "JWT_ISSUER"],
    ],
    ["the workflows' service is no URL", { ...flows, FLOWS_BASE_URL: "localhost" }, ["FLOWS_BASE_URL", "URL"]],
    ["the example is neither on nor off", { ...example, EXAMPLE: "true" }, ["EXAMPLE must be on or off"]],
    [
      "the example is on without workflows",
      { ...service, EXAMPLE: "on" },
      ["EXAMPLE=on needs FLOWS_SECRET", "JWT_ISSUER="],
    ],
    ["the example is on without wallets", { ...example, FLOWS_SECRET: "" }, ["EXAMPLE=on needs FLOWS_SECRET"]],
    ...["us1_sui_mainnet_00", "us1_sui_testnet_00", "us1_sui_devnet_00", "a key of another make"].map(
      (key): Case => [
        `the example is on where money may be: ${key}`,
        { ...example, FLOWS_SUI_KEY: key },
        ["EXAMPLE lets everybody in", "remove it"],
      ],
    ),
    [
      "the example is on where money may be, on the other chain",
      { ...example, FLOWS_APTOS_KEY: "us1_aptos_mainnet_00" },
      ["EXAMPLE lets everybody in"],
    ],
    [
      "the example is on beside users of another issuer",
      { ...example, JWT_ISSUER: "https://login.example.com" },
      ["EXAMPLE=on needs FLOWS_SECRET and these values"],
    ],
    [
      "the example's tokens would be taken by other keys",
      { ...example, JWT_JWKS_URL: "https://login.example.com/jwks.json" },
      ["EXAMPLE=on needs FLOWS_SECRET and these values"],
    ],
    [
      "a provider's key has no header",
      { ...service, SUI_DEVNET_NODES: "https://a.example", NODE_KEYS: "https://a.example=abc" },
      ["NODE_KEYS: entry 1", "https://nodes.example.com=authorization:<key>"],
    ],
    [
      "a provider's key is for nobody",
      {
        ...service,
        SUI_DEVNET_NODES: "https://a.example/rpc",
        NODE_KEYS: "https://a.example=x-token:abc http://a.example=x-token:abc",
      },
      ["NODE_KEYS: entry 2", "without a configured node"],
    ],
    [
      "a provider has two keys",
      {
        ...service,
        SUI_DEVNET_NODES: "https://a.example/rpc",
        NODE_KEYS: "https://a.example=x-token:abc https://a.example=authorization:def",
      },
      ["NODE_KEYS: entry 2", "twice"],
    ],
    ["the log has no such level", { ...service, LOG_LEVEL: "verbose" }, ["LOG_LEVEL", "warn"]],
    ["the clock is moved outside a test", { ...service, ...offset }, ["CLOCK_OFFSET_MS", "STAGE=test", "remove it"]],
    ["the clock is moved in production", { ...service, ...offset, STAGE: "production" }, ["CLOCK_OFFSET_MS"]],
    ["the clock is not moved by a number", { ...service, STAGE: "test", CLOCK_OFFSET_MS: "1h" }, ["CLOCK_OFFSET_MS"]],
  ])("%s", (_, env, fragments) => {
    const error = (() => {
      try {
        parseConfig(env);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(ConfigError);
    for (const fragment of fragments) expect(String(error instanceof Error && error.message)).toMatch(fragment);
  });

  test("and never shows a secret, or a node's URL, which may hold a key", () => {
    for (const env of [
      { ...service, MASTER_KEYS: `1:${SECRET},1:${SECRET}` },
      { ...service, KEY_PEPPERS: `x${SECRET}` },
      { ...service, ADMIN_TOKEN: SECRET.slice(0, 20) },
      { ...service, SUI_TESTNET_NODES: `ftp://a.example/${SECRET}` },
      { ...service, NODE_KEYS: `https://${SECRET}=x-token:${SECRET}` },
      { ...service, NODE_KEYS: SECRET },
    ])
      expect(() => parseConfig(env)).toThrow(expect.not.stringContaining(SECRET.slice(0, 20)));
  });
});

describe("what is set", () => {
  test("the service, the workflows beside a service elsewhere, or both", () => {
    expect(parseConfig(service)).toMatchObject({ flows: null, service: { adminToken: service.ADMIN_TOKEN } });
    expect(parseConfig({ ...flows, FLOWS_BASE_URL: "https://gasworks.example/" })).toMatchObject({
      service: null,
      flows: {
        baseUrl: "https://gasworks.example",
        accessKeys: { sui: flows.FLOWS_SUI_KEY, aptos: null },
        secret: null,
      },
    });
    expect(parseConfig({ ...service, ...flows }).flows).toMatchObject({ baseUrl: null });
  });

  test("the workflows have one chain or both, and a secret for wallets", () => {
    const { FLOWS_SUI_KEY: _, ...callerOnly } = flows;
    const aptos = { ...service, ...callerOnly, FLOWS_APTOS_KEY: "us1_aptos_testnet_00", FLOWS_SECRET: SECRET };
    const secret = new TextEncoder().encode(atob(SECRET));
    expect(parseConfig(aptos).flows).toMatchObject({
      accessKeys: { sui: null, aptos: "us1_aptos_testnet_00" },
      secret,
    });
    expect(parseConfig({ ...aptos, ...flows }).flows).toMatchObject({
      accessKeys: { sui: flows.FLOWS_SUI_KEY, aptos: "us1_aptos_testnet_00" },
    });
  });

  test("the example is off unless it is on", () => {
    const { EXAMPLE: _, ...unset } = example;
    for (const off of [unset, { ...example, EXAMPLE: "off" }, service]) expect(parseConfig(off).example).toBeNull();
    expect(parseConfig(example).example).toEqual({ secret: new TextEncoder().encode(atob(SECRET)) });
  });

  test("empty and blank are the same as unset", () => {
    expect(parseConfig({ ...service, FLOWS_CALLER_SECRET: "", FLOWS_SUI_KEY: " ", CLOCK_OFFSET_MS: "" })).toEqual(
      parseConfig(service),
    );
    expect(() => parseConfig({ ...service, ADMIN_TOKEN: " " })).toThrow("ADMIN_TOKEN missing");
  });

  test("bindings that are not text are not variables", () => {
    expect(() => parseConfig({ ...service, ADMIN_TOKEN: { fetch: () => {} } })).toThrow("ADMIN_TOKEN missing");
  });

  test("the highest version of a secret is current, and the others still open", () => {
    const { masterKeys } = parseConfig({ ...service, MASTER_KEYS: `2:${OTHER_SECRET}, 10:${SECRET},9:${SECRET}` })
      .service ?? { masterKeys: null };
    expect(masterKeys?.current).toBe(10);
    expect([...(masterKeys?.byVersion.keys() ?? [])].sort((a, b) => a - b)).toEqual([2, 9, 10]);
    expect(masterKeys?.byVersion.get(2)).toEqual(new TextEncoder().encode(atob(OTHER_SECRET)));
  });

  test("nodes are lists in their order, without the slash at the end; a network without any has none", () => {
    const { nodes } = parseConfig({
      ...service,
      SUI_TESTNET_NODES: " https://a.example/rpc/\n http://b.example:9000 ",
    });
    expect(nodes.SUI_TESTNET).toEqual(["https://a.example/rpc", "http://b.example:9000"]);
    expect(nodes.SUI_MAINNET).toEqual([]);
  });

  test("the clock moves with STAGE=test only", () => {
    expect(parseConfig(service).clockOffsetMs).toBe(0);
    expect(parseConfig({ ...service, ...offset, STAGE: "test" }).clockOffsetMs).toBe(60_000);
  });
});

test.each(["http://localhost:8080/jwks", "http://127.0.0.1/jwks", "http://[::1]:9000/jwks"])(
  "a local issuer at %s needs no certificate",
  (JWT_JWKS_URL) => {
    expect(parseConfig({ ...service, ...flows, ...jwt, JWT_JWKS_URL }).flows?.jwt?.jwksUrl).toBe(JWT_JWKS_URL);
  },
);
