import { expect, test } from "vitest";
import * as z from "zod";
import { newFund, SUI_MIST, sponsor, useStoppedClock } from "../support/sui-fund.ts";

type Invoke = (event: { readonly data: { readonly data: readonly unknown[] } } | string, ...rest: unknown[]) => unknown;

/** The loader that all objects of this runtime share. */
const loaderSchema = z.object({
  moduleRunner: z.object({ transport: z.custom<{ invoke: Invoke }>((value) => typeof value === "object") }),
});

useStoppedClock();

test("an object loads no module, so one that ends keeps no other object waiting", async () => {
  const { transport } = loaderSchema.parse(Reflect.get(globalThis, "__vitest_mocker__")).moduleRunner;
  const { invoke } = transport;
  const loads: string[] = [];
  transport.invoke = (...call) => {
    loads.push(JSON.stringify(call));
    return invoke(...call);
  };
  try {
    await sponsor(await newFund(SUI_MIST), "one");
  } finally {
    transport.invoke = invoke;
  }
  // The test tools themselves load the entry point for each new object, in a context that does not end with it.
  const isOfService = (load: string) => !load.includes('"/functions/index.ts",null');
  expect(loads.length).toBeGreaterThan(0);
  expect(loads.filter(isOfService)).toEqual([]);
});
