import * as z from "zod";

const MAX_EPOCHS_AT_ONCE = 1_000;
const MAX_REFERENCE_GAS_PRICE = 1_000_000_000n;
const MAX_FAULT_TIMES = 1_000_000;
const MAX_DELAY_MS = 600_000;
const EXECUTE = "TransactionExecutionService/ExecuteTransaction";

export const EpochChange = z.strictObject({
  advance: z.int().min(1).max(MAX_EPOCHS_AT_ONCE),
  referenceGasPrice: z
    .string()
    .regex(/^[1-9]\d{0,18}$/, "must be a positive decimal string of MIST")
    .transform(BigInt)
    .refine((price) => price <= MAX_REFERENCE_GAS_PRICE, `must be at most ${MAX_REFERENCE_GAS_PRICE}`)
    .optional(),
});

/**
 * `unavailable`: the method answers UNAVAILABLE. The two others are of ExecuteTransaction:
 * before the transaction is committed, or after it is and instead of its effects.
 */
const FaultMode = z.enum(["unavailable", "unavailable_before_commit", "drop_after_commit"]);

export const FaultOrder = z
  .strictObject({
    method: z.string(),
    mode: FaultMode,
    times: z.int().min(1).max(MAX_FAULT_TIMES),
    delayMs: z.int().min(0).max(MAX_DELAY_MS).default(0),
  })
  .refine(({ method, mode }) => mode === "unavailable" || method === EXECUTE, {
    path: ["mode"],
    message: `is a fault of ${EXECUTE} only`,
  });

export type Fault = Omit<z.infer<typeof FaultOrder>, "times">;

export type Controls = ReturnType<typeof createControls>;

/** Call counts and ordered faults. They are kept in memory: a restart forgets them. */
export function createControls() {
  const calls = new Map<string, number>();
  const orders: { fault: Fault; left: number }[] = [];

  return {
    countCall(method: string): void {
      calls.set(method, (calls.get(method) ?? 0) + 1);
    },

    calls: (): Record<string, number> => Object.fromEntries([...calls].sort()),

    clearCalls: () => calls.clear(),

    orderFault({ times, ...fault }: z.infer<typeof FaultOrder>): void {
      orders.push({ fault, left: times });
    },

    clearFaults(): void {
      orders.length = 0;
    },

    /** Takes the oldest fault that is ordered for this method and counts it as used. */
    takeFault(method: string): Fault | undefined {
      const index = orders.findIndex(({ fault }) => fault.method === method);
      const order = orders[index];
      if (order === undefined) return undefined;
      order.left -= 1;
      if (order.left === 0) orders.splice(index, 1);
      return order.fault;
    },
  };
}
