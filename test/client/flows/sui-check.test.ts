import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { TransactionDataBuilder } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toBase58 } from "../../../shared/client/flows/bytes.ts";
import { suiNetwork } from "../../../shared/client/flows/networks.ts";
import {
  checkSui,
  readSuiTransaction,
  type SuiExpectation,
  suiDigest,
} from "../../../shared/client/flows/sui-check.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { answerOf, FUND, gasData, sponsoredBytes } from "./stage.ts";

const kind = await mintKind();
const other = await mintKind("another badge");
const sender = new Ed25519Keypair().toSuiAddress();
const [MAINNET, TESTNET] = [
  "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S",
  "69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD",
];
const LOCAL = toBase58(new Uint8Array(32).fill(9));

const expected: SuiExpectation = {
  kind,
  sender,
  ...suiNetwork({ network: "localnet" }),
  maxGasBudgetMist: 5_000_000n,
  maxGasPriceMist: 1_000n,
  epoch: 3n,
  used: [],
};

const window = (chain: string, change: object = {}) => ({
  ValidDuring: { minEpoch: "3", maxEpoch: "4", minTimestamp: null, maxTimestamp: null, chain, nonce: 1, ...change },
});

test("an honest answer passes, in each form that a fund gives it", () => {
  const honest = [
    [{}, 3n],
    [{ expiration: window(LOCAL) }, 4n],
    [{ gasData: gasData({ payment: [], price: "0" }) }, 3n],
  ] as const;
  for (const [change, until] of honest) {
    const bytes = sponsoredBytes(kind, sender, change);
    const digest = TransactionDataBuilder.getDigestFromBytes(bytes);
    expect(suiDigest(bytes)).toBe(digest);
    expect(checkSui(answerOf(bytes), expected)).toEqual({ bytes, id: digest, until });
  }
});

test.each<[string, Uint8Array, object, Partial<SuiExpectation>, RegExp]>([
  ["other commands", sponsoredBytes(other, sender), {}, {}, /other commands/],
  ["another sender", sponsoredBytes(kind, FUND, { gasData: gasData({ owner: sender }) }), {}, {}, /sender/],
  [
    "gas that the sender pays",
    sponsoredBytes(kind, sender, { gasData: gasData({ owner: sender }) }),
    {},
    {},
    /pay for/,
  ],
  ["gas that nobody pays", sponsoredBytes(kind, sender, { gasData: gasData({ owner: "0x0" }) }), {}, {}, /pay for/],
  ["a larger budget", sponsoredBytes(kind, sender, { gasData: gasData({ budget: "5000001" }) }), {}, {}, /budget/],
  ["a higher price", sponsoredBytes(kind, sender, { gasData: gasData({ price: "1001" }) }), {}, {}, /price/],
  ["no expiration", sponsoredBytes(kind, sender, { expiration: { None: true } }), {}, {}, /never expires/],
  ["a far expiration", sponsoredBytes(kind, sender, { expiration: { Epoch: 5_000 } }), {}, {}, /too late/],
  ["a window of mainnet", sponsoredBytes(kind, sender, { expiration: window(MAINNET) }), {}, {}, /another chain/],
  [
    "a window of testnet, on mainnet",
    sponsoredBytes(kind, sender, { expiration: window(TESTNET) }),
    { network: "SUI_MAINNET" },
    suiNetwork({ network: "mainnet" }),
    /another chain/,
  ],
  [
    "a window with times",
    sponsoredBytes(kind, sender, { expiration: window(LOCAL, { minTimestamp: "1" }) }),
    {},
    {},
    /another form/,
  ],
  [
    "a window without an end",
    sponsoredBytes(kind, sender, { expiration: window(LOCAL, { maxEpoch: null }) }),
    {},
    {},
    /never expires/,
  ],
  [
    "a long window",
    sponsoredBytes(kind, sender, { expiration: window(LOCAL, { maxEpoch: "5" }) }),
    {},
    {},
    /another form/,
  ],
  ["another network", sponsoredBytes(kind, sender), { network: "SUI_MAINNET" }, {}, /network SUI_MAINNET/],
  ["no network", sponsoredBytes(kind, sender), { network: undefined }, {}, /not named/],
  ["another digest", sponsoredBytes(kind, sender), { txDigest: MAINNET }, {}, /digest/],
  ["bytes that are left over", Uint8Array.of(...sponsoredBytes(kind, sender), 0), {}, {}, /malformed/],
  ["bytes that are cut off", sponsoredBytes(kind, sender).slice(0, -1), {}, {}, /malformed/],
  ["base64 with a line break", sponsoredBytes(kind, sender), { txBytes: "AAAA\n" }, {}, /base64/],
  [
    "an earlier digest",
    sponsoredBytes(kind, sender),
    {},
    { used: [suiDigest(sponsoredBytes(kind, sender))] },
    /earlier transaction/,
  ],
])("%s is refused", (_, bytes, answer, change, why) => {
  expect(checkSui({ ...answerOf(bytes), ...answer }, { ...expected, ...change })).toMatch(why);
});

test("a coin that pays twice is refused", () => {
  const [coin] = gasData({}).payment;
  const bytes = sponsoredBytes(kind, sender, { gasData: gasData({ payment: coin === undefined ? [] : [coin, coin] }) });
  expect(checkSui(answerOf(bytes), expected)).toMatch(/pays twice/);
});

const honestBytes = sponsoredBytes(kind, sender);

test("no byte of an honest answer changes unnoticed, under its own digest", () => {
  fc.assert(
    fc.property(fc.nat(honestBytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = honestBytes.map((byte, index) => (index === at ? byte ^ flip : byte));
      const answer = { ...answerOf(honestBytes), txBytes: toBase64(bytes) };
      expect(typeof checkSui(answer, expected)).toBe("string");
    }),
  );
});

test("whatever a service makes of the gas, it passes only within the bounds, and with the digest of its bytes", () => {
  const address = fc.constantFrom(sender, FUND, "0x0", `0x${"a".repeat(64)}`);
  const amount = (bound: number) => fc.oneof(fc.nat(2 * bound), fc.constantFrom(0, bound, bound + 1)).map(String);
  const expiration = fc.oneof(
    fc.record({ Epoch: fc.nat(8_000) }),
    fc.constant({ None: true as const }),
    fc.constantFrom(MAINNET, TESTNET, LOCAL).map((chain) => window(chain)),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(kind, other),
      ...([address, address, amount(5_000_000), amount(1_000), expiration] as const),
      (asked, from, owner, budget, price, until) => {
        const bytes = sponsoredBytes(asked, from, { gasData: gasData({ owner, budget, price }), expiration: until });
        const isWithin =
          asked === kind &&
          from === sender &&
          owner !== sender &&
          owner !== "0x0" &&
          BigInt(budget) <= 5_000_000n &&
          BigInt(price) <= 1_000n &&
          ("Epoch" in until
            ? [3, 4, 5].includes(until.Epoch)
            : "ValidDuring" in until && until.ValidDuring.chain === LOCAL);
        expect(typeof checkSui(answerOf(bytes), expected) === "object").toBe(isWithin);
      },
    ),
  );
});

test("the reader takes what the SDK writes, and no bytes that the SDK would write otherwise", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(honestBytes.length), (noise, kept) => {
      const bytes = Uint8Array.of(...honestBytes.slice(0, kept), ...noise);
      const read = readSuiTransaction(bytes, kind);
      // The SDK keeps an epoch as a number.
      if (read === null || (read.expiration.until ?? 0n) > Number.MAX_SAFE_INTEGER) return;
      const parsed = bcs.TransactionData.parse(bytes);
      expect(bcs.TransactionData.serialize(parsed).toBytes()).toEqual(bytes);
      expect(read.sender).toBe(parsed.V1?.sender);
    }),
  );
});
