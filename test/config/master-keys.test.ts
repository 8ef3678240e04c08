import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { parseConfig } from "../../shared/config/config.ts";
import { ConfigError } from "../../shared/config/error.ts";

const ARN = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const base64 = (bytes: number) => randomBytes(bytes).toString("base64");
const [PLAIN, WRAPPED] = [base64(32), base64(184)];
const SECRET = "fictional/secret+access=key";
const service = { KEY_PEPPERS: `1:${PLAIN}`, ADMIN_TOKEN: "a".repeat(24) };
const aws = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLEEXAMPLE00", AWS_SECRET_ACCESS_KEY: SECRET };
const keyed = { ...service, ...aws, MASTER_KEYS: `awskms:${ARN},1:${PLAIN},2:${WRAPPED}` };

function masterKeys(env: Readonly<Record<string, string>>) {
  return parseConfig(env).service?.masterKeys;
}

function errorOf(run: () => unknown): string {
  try {
    return `returned ${JSON.stringify(run())}`;
  } catch (error) {
    return String(error);
  }
}

test("under the head of a key, a version of 32 bytes is plain and a longer one is wrapped; the highest is current", () => {
  const read = masterKeys(keyed);
  expect(read?.current).toBe(2);
  expect([...(read?.byVersion ?? [])]).toEqual([[1, new Uint8Array(Buffer.from(PLAIN, "base64"))]]);
  expect([...(read?.wrapped?.byVersion ?? [])]).toEqual([[2, new Uint8Array(Buffer.from(WRAPPED, "base64"))]]);
  expect(read?.wrapped?.kms).toEqual({
    keyArn: ARN,
    region: "eu-central-1",
    endpoint: "https://kms.eu-central-1.amazonaws.com",
    accessKeyId: aws.AWS_ACCESS_KEY_ID,
    secretAccessKey: SECRET,
    sessionToken: null,
  });
});

test("the endpoint follows the ARN, unless it is set", () => {
  const endpoint = (arn: string, more = {}) =>
    masterKeys({ ...keyed, MASTER_KEYS: `awskms:${arn},1:${WRAPPED}`, ...more })?.wrapped?.kms.endpoint;
  expect(endpoint(ARN.replace("aws:", "aws-cn:").replace("eu-central-1", "cn-north-1"))).toBe(
    "https://kms.cn-north-1.amazonaws.com.cn",
  );
  expect(endpoint(ARN.replace("aws:", "aws-us-gov:").replace("eu-central-1", "us-gov-west-1"))).toBe(
    "https://kms.us-gov-west-1.amazonaws.com",
  );
  for (const url of ["https://vpce-1.kms.eu-central-1.vpce.amazonaws.com", "http://127.0.0.1:4566/"])
    expect(endpoint(ARN, { AWS_ENDPOINT_URL_KMS: url })).toBe(url.replace(/\/$/, ""));
});

test("without the head nothing of AWS is read", () => {
  const plain = { ...service, MASTER_KEYS: `1:${PLAIN}`, AWS_ACCESS_KEY_ID: "x", AWS_ENDPOINT_URL_KMS: "nonsense" };
  expect(masterKeys(plain)).toMatchObject({ current: 1, wrapped: null });
  expect(() => masterKeys({ ...service, MASTER_KEYS: `1:${WRAPPED}` })).toThrow("1:<base64 of 32 bytes>");
});

test.each([
  ["no version", { MASTER_KEYS: `awskms:${ARN}` }, "MASTER_KEYS has no version after the key"],
  [
    "an alias",
    { MASTER_KEYS: `awskms:${ARN.replace("key/", "alias/")},1:${WRAPPED}` },
    "the ARN of a key, and no alias",
  ],
  ["an id", { MASTER_KEYS: `awskms:1234abcd-12ab-34cd-56ef-1234567890ab,1:${WRAPPED}` }, "the ARN of a key"],
  [
    "another host in the region",
    { MASTER_KEYS: `awskms:${ARN.replace("eu-central-1", "evil.example/-1")},1:${WRAPPED}` },
    "ARN",
  ],
  ["a short version", { MASTER_KEYS: `awskms:${ARN},1:${base64(31)}` }, "version 1 is no wrapped key"],
  ["an empty version", { MASTER_KEYS: `awskms:${ARN},1:` }, "version 1 is no wrapped key"],
  ["a huge version", { MASTER_KEYS: `awskms:${ARN},1:${base64(6_145)}` }, "version 1 is no wrapped key"],
  ["text", { MASTER_KEYS: `awskms:${ARN},1:not base64` }, "MASTER_KEYS must be a list like awskms:<key ARN>,1:"],
  ["twice", { MASTER_KEYS: `awskms:${ARN},1:${WRAPPED},1:${PLAIN}` }, "version 1 occurs twice"],
  ["no access key", { AWS_ACCESS_KEY_ID: "" }, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
  ["no secret", { AWS_SECRET_ACCESS_KEY: " " }, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
  ["a malformed access key", { AWS_ACCESS_KEY_ID: "a b" }, "AWS_ACCESS_KEY_ID must be"],
  ["a malformed secret", { AWS_SECRET_ACCESS_KEY: "two words" }, "AWS_SECRET_ACCESS_KEY must be"],
  ["a malformed token", { AWS_SESSION_TOKEN: "two words" }, "AWS_SESSION_TOKEN must be"],
  ["plain http", { AWS_ENDPOINT_URL_KMS: "http://kms.example.com" }, "AWS_ENDPOINT_URL_KMS must be an https URL"],
  ["a path", { AWS_ENDPOINT_URL_KMS: "https://kms.example.com/path" }, "AWS_ENDPOINT_URL_KMS must be an https URL"],
  ["a user", { AWS_ENDPOINT_URL_KMS: "https://u:p@kms.example.com" }, "AWS_ENDPOINT_URL_KMS must be an https URL"],
])("%s is an error that says what to set, and shows no value", (_what, changed, words) => {
  const parse = () => parseConfig({ ...keyed, ...changed });
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(words);
  const given = Object.values(changed).map((value) => value.slice(value.lastIndexOf(":") + 1).trim());
  const values = [PLAIN, WRAPPED, SECRET, ...given.filter((value) => value !== "")];
  for (const value of values) expect(errorOf(parse)).not.toContain(value);
});
