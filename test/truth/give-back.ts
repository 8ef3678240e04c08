import { randomUUID } from "node:crypto";
import * as z from "zod";
import { type AdminAccess, adminCall } from "../../shared/cli/client/admin.ts";
import { expectAnswer, type HttpAnswer, UnexpectedAnswer } from "../../shared/cli/client/http.ts";

const PATIENCE_MS = 60_000;
const POLL_MS = 500;

const atoms = z.string().transform(BigInt);
const figuresSchema = z.object({ balance: atoms, available: atoms });
const withdrawalSchema = z.object({ digest: z.string(), state: z.string() });
const refusalSchema = z.object({ detail: z.string() });
const ledgerSchema = z.object({ items: z.array(z.unknown()) });
const reconciledSchema = z.object({ exact: z.boolean() });

/**
 * Waits for the deposit of a fund. Then pays all that it can pay to an address, again and again until it can pay no more.
 * Before that makes every signature worthless that is out, so that what it withholds comes back. At the end the books are exact.
 *
 * @returns what the fund still owns, MIST or octas.
 * @throws UnexpectedAnswer if a node or the service does not do its part within a minute.
 */
export async function giveBack(access: AdminAccess, fundId: string, to: string): Promise<bigint> {
  const post = (path: string, body?: object, key?: string) =>
    adminCall(access, "POST", `/funds/${fundId}/${path}`, body, key);
  // A deposit that was sent may still be on its way.
  await until("no deposit has arrived", async () => {
    expectAnswer("looking for deposits", await post("refresh"), figuresSchema);
    const listed = await adminCall(access, "GET", `/funds/${fundId}/ledger?limit=1`);
    return expectAnswer("the ledger", listed, ledgerSchema).items.length > 0;
  });
  expectAnswer("the revocation", await post("revoke", { outstanding: true }), z.object({}));

  /** @returns false if the fund can pay nothing. */
  async function payOut(): Promise<boolean> {
    const { available } = expectAnswer("looking for deposits", await post("refresh"), figuresSchema);
    let amount = available;
    while (amount > 0n) {
      const body = { to, amount: String(amount) };
      const key = randomUUID();
      const answer = await post("withdraw", body, key);
      const most = /at most ([0-9]+) /.exec(refusalSchema.safeParse(answer.body).data?.detail ?? "")?.[1];
      if (most === undefined || BigInt(most) >= amount) {
        await until("the withdrawal is pending", async () => isPaid(await post("withdraw", body, key)));
        return true;
      }
      amount = BigInt(most);
    }
    return false;
  }

  while (await payOut());
  const reconciled = async () => expectAnswer("the reconciliation", await post("reconcile"), reconciledSchema).exact;
  await until("the books differ from the chain", reconciled);
  return expectAnswer("the fund", await adminCall(access, "GET", `/funds/${fundId}`), figuresSchema).balance;
}

/** @throws UnexpectedAnswer if the fund will never pay this. */
function isPaid(answer: HttpAnswer): boolean {
  const { digest, state } = expectAnswer("the withdrawal", answer, withdrawalSchema);
  if (state !== "complete" && state !== "pending") throw new UnexpectedAnswer(`the withdrawal ${digest} is ${state}`);
  return state === "complete";
}

async function until(otherwise: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new UnexpectedAnswer(`${otherwise}, after ${PATIENCE_MS / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
