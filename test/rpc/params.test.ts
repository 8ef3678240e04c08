import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_U64 } from "../../shared/amounts.ts";
import { suiGetFund, suiSponsorTransactionBlock } from "../../shared/api/sui-gas.ts";
import { decodeParams, encodeParams } from "../../shared/rpc/params.ts";

const [kind, sender] = suiSponsorTransactionBlock.example.params;

function details(params: readonly unknown[] | Record<string, unknown>): string {
  const decoded = decodeParams(suiSponsorTransactionBlock, params);
  if (decoded.ok) throw new Error("was not refused");
  expect(decoded.error.reason).toBe("bad_params");
  return decoded.error.details;
}

function decode(params: readonly unknown[] | Record<string, unknown>) {
  const decoded = decodeParams(suiSponsorTransactionBlock, params);
  if (!decoded.ok) throw new Error(decoded.error.details);
  return decoded.value;
}

describe("positions and names", () => {
  test("mean the same", () => {
    expect(decode([kind, sender, "7", 8])).toEqual(
      decode({ gasPrice: 8, gasBudget: "7", sender, transactionBytes: kind }),
    );
  });

  test("null skips a parameter and keeps the places after it", () => {
    expect(decode([kind, sender, null, 1000])).toEqual(decode({ transactionBytes: kind, sender, gasPrice: 1000 }));
    expect(decode({ transactionBytes: kind, sender, gasBudget: null })).toEqual(decode([kind, sender]));
  });

  test("a required parameter is named when it is missing, skipped or null", () => {
    expect(details([kind])).toBe("sender: is required");
    expect(details([null, sender])).toBe("transactionBytes: is required");
    expect(details({})).toBe("transactionBytes: is required; sender: is required");
  });

  test("too many positions are refused, with the names of those that there are", () => {
    expect(details([kind, sender, "1", "2", "3"])).toBe(
      "takes at most 4 parameters (transactionBytes, sender, gasBudget, gasPrice), not 5",
    );
  });

  test.each(["gas_budget", "__proto__", "constructor", "toString"])(
    "an unknown name is refused by name: %s",
    (name) => {
      const params = JSON.parse(
        `{"transactionBytes":${JSON.stringify(kind)},"sender":"0x2",${JSON.stringify(name)}:1}`,
      );
      expect(details(params)).toContain(`unknown parameter ${JSON.stringify(name)}`);
    },
  );

  test("a method without parameters takes none in every spelling", () => {
    expect(decodeParams(suiGetFund, []).ok).toBe(true);
    expect(decodeParams(suiGetFund, {}).ok).toBe(true);
    expect(decodeParams(suiGetFund, [null]).ok).toBe(false);
  });
});

describe("values", () => {
  test("every u64 survives as a string, every safe integer as a number", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, MAX_U64), (amount) => {
        expect(decode([kind, sender, amount.toString()]).gasBudget).toBe(amount);
      }),
    );
    fc.assert(
      fc.property(fc.maxSafeNat(), (amount) => {
        expect(decode([kind, sender, amount]).gasBudget).toBe(BigInt(amount));
      }),
    );
  });

  test.each([[2 ** 53], [1.5], [-1], [Number.POSITIVE_INFINITY]])("the number %d has to come as a string", (amount) => {
    expect(details([kind, sender, amount])).toBe(
      "gasBudget: is not a safe integer of at least 0: send a decimal string",
    );
  });

  test.each([["18446744073709551616"], ["-1"], ["1.0"], ["0x10"], ["01"], [""], [" 1"], ["1e3"], [true], [{}]])(
    "%j is no u64",
    (amount) => {
      expect(details([kind, sender, amount])).toMatch(/^gasBudget: must be /);
    },
  );

  test("an address is accepted short or long and normalised", () => {
    const long = `0x${"0".repeat(62)}aB`;
    expect(decode([kind, "0xAb"]).sender).toBe(long.toLowerCase());
    expect(decode([kind, long]).sender).toBe(long.toLowerCase());
    for (const bad of ["", "0x", "ab", "0xg1", `0x${"1".repeat(65)}`, 2, "0x2 "])
      expect(details([kind, bad])).toMatch(/^sender: must be a Sui address/);
  });

  test("only canonical base64 is bytes", () => {
    expect(decode(["AAE=", sender]).transactionBytes).toEqual(Uint8Array.of(0, 1));
    for (const bad of ["", "AAE", "AAF=", "AA E", "AAE=\n", "AAE===", "A-_A", "====", 5, [0, 1]])
      expect(details([bad, sender])).toMatch(/^transactionBytes: must be/);
  });

  test("bytes over the chain's limit are refused by length alone", () => {
    const bytes = (length: number) => Buffer.alloc(length, 1).toString("base64");
    expect(decode([bytes(131_072), sender]).transactionBytes).toHaveLength(131_072);
    expect(details([bytes(131_073), sender])).toBe("transactionBytes: must be at most 131072 bytes");
    expect(details([bytes(131_075), sender])).toBe("transactionBytes: must be at most 131072 bytes");
  });

  test("a refusal never repeats the value, which may be a secret", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), (value) => {
        fc.pre(!"transactionBytes: must be base64 with padding; sender: must be a Sui address".includes(value));
        const decoded = decodeParams(suiSponsorTransactionBlock, [value, value, value]);
        if (!decoded.ok) expect(decoded.error.details).not.toContain(value);
      }),
    );
  });
});

test("what the client encodes is what the service decodes", () => {
  const u64 = fc.bigInt(0n, MAX_U64);
  const params = fc.record(
    {
      transactionBytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      sender: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
      gasBudget: u64,
      gasPrice: u64,
    },
    { requiredKeys: ["transactionBytes", "sender"] },
  );
  fc.assert(
    fc.property(params, (given) => {
      const encoded = encodeParams(suiSponsorTransactionBlock, given);
      if (!encoded.ok) throw new Error(encoded.error.details);
      expect(encoded.value.at(-1)).not.toBeNull();
      expect(decode(JSON.parse(JSON.stringify(encoded.value)))).toEqual(given);
    }),
  );
});
