import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { type AdminAccess, adminCall, createFund, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { expectAnswer, http, UnexpectedAnswer } from "../../shared/cli/client/http.ts";
import { rpcCall, SUI_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";

/** The network whose variable names the node. No chain id is expected of a local network. */
export const NETWORKS = { Sui: "SUI_LOCALNET", Aptos: "APTOS_LOCALNET" } as const;
/** Somebody who owns nothing. */
const SENDER = `0x${"99".repeat(32)}`;

const MAX_LINE_CHARACTERS = 300;

const nodesSchema = z.object({
  items: z.array(z.object({ network: z.string(), state: z.string() })),
});
const fundSchema = z.object({ balance: z.string() });
const refusalSchema = z.object({ error: z.object({ data: z.object({ reason: z.literal("balance_too_low") }) }) });
const ledgerSchema = z.object({ chain_id: z.number() });

/** A step of a story, which throws what went wrong. */
export interface Step {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * Tells the part of the end-to-end stories that needs no funds, at a running service with a node of this chain.
 *
 * @param told gets one line for each step.
 * @returns false if a step fails.
 */
export async function tellStory(access: AdminAccess, chain: Chain, told: (line: string) => void): Promise<boolean> {
  return tellSteps(await stepsOf(access, chain), told);
}

/** Takes the steps in their order until one fails. Returns false if one does. `told` gets one line for each. */
export async function tellSteps(steps: readonly Step[], told: (line: string) => void): Promise<boolean> {
  let done = 0;
  try {
    for (const { title, run } of steps) {
      await run();
      told(`  ok        ${title}`);
      done += 1;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    told(`  failed    ${steps[done]?.title}: ${error.message}`.slice(0, MAX_LINE_CHARACTERS));
  }
  return done === steps.length;
}

async function stepsOf(access: AdminAccess, chain: Chain): Promise<readonly Step[]> {
  const network = NETWORKS[chain];
  const projectId = await createProject(access, `node of ${chain}`);
  const { id: fundId } = await createFund(access, projectId, { name: "empty", network });
  const key = (fields: object) => createKey(access, projectId, { name: "story", network, ...fields });

  const isHealthy = async () => {
    const answer = await adminCall(access, "GET", "/nodes");
    const { items } = expectAnswer("the list of nodes", answer, nodesSchema);
    const states = items.filter((node) => node.network === network).map(({ state }) => state);
    if (states.length === 0 || states.some((state) => state !== "healthy"))
      throw new UnexpectedAnswer(`the node is ${states.join(", ") || "not listed"}`);
  };
  const isEmpty = async () => {
    const answer = await adminCall(access, "POST", `/funds/${fundId}/refresh`);
    const { balance } = expectAnswer("looking for deposits", answer, fundSchema);
    if (balance !== "0") throw new UnexpectedAnswer(`the balance of a new fund is ${balance}`);
  };
  const passesReads = async () => {
    const { key: nodeKey } = await key({ rights: ["node"] });
    if (chain === "Sui") {
      const meta = { "x-api-key": nodeKey };
      const client = new SuiGrpcClient({ network: "localnet", baseUrl: `${access.serviceUrl}/sui/node/v1`, meta });
      await client.core.getReferenceGasPrice();
    } else {
      const headers = { "x-api-key": nodeKey };
      expectAnswer("a read", await http(`${access.serviceUrl}/aptos/node/v1`, { headers }), ledgerSchema);
    }
  };
  const refusesToSponsor = async () => {
    const { key: gasKey } = await key({ rights: ["gas"], fundId });
    const transaction = new Transaction();
    transaction.moveCall({ target: "0x2::clock::timestamp_ms", arguments: [transaction.object.clock()] });
    const kind = toBase64(await transaction.build({ onlyTransactionKind: true }));
    const url = `${access.serviceUrl}${SUI_GAS_PATH}`;
    const { status, body } = await rpcCall(url, gasKey, "gas_sponsorTransactionBlock", [kind, SENDER]);
    if (!refusalSchema.safeParse(body).success) throw new UnexpectedAnswer(`a fund without coins answered ${status}`);
  };

  return [
    { title: "the service counts the node as healthy", run: isHealthy },
    { title: "a new fund reads its balance from the node, and it is 0", run: isEmpty },
    { title: "a client reads from the node through the service, with an access key", run: passesReads },
    ...(chain === "Sui"
      ? [{ title: "a fund without coins refuses to sponsor, and says why", run: refusesToSponsor }]
      : []),
  ];
}
