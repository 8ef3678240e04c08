import * as z from "zod";
import { expectAnswer, http } from "../client/http.ts";
import { step } from "../terminal.ts";
import { must, type StoryContext } from "./chapter.ts";
import { effectsSchema, kindOf, mintKind, netChargeMist, signatureOf } from "./gas-calls.ts";
import { tellCharge } from "./main-job.ts";

const flowSponsoredSchema = z.object({ txBytes: z.base64(), txDigest: z.string() });

const flowExecutedSchema = z.object({ status: z.literal("success"), effects: effectsSchema });

const flowErrorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Runs the chapter of the workflows. */
export async function tellWorkflows({ stage, user, sender }: StoryContext): Promise<bigint> {
  const flow = (name: string, body: object, headers: object = {}) =>
    http(`${stage.serviceUrl}/flows/${name}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${stage.callerSecret}`,
        "x-user-id": "ada",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const kind = await mintKind(stage.contracts.suiPackage, "From a workflow");
  const answer = await flow("sponsor", { transactionKind: kind, sender });
  const { txBytes, txDigest } = expectAnswer("/flows/sponsor", answer, flowSponsoredSchema);
  step(
    "sponsor",
    `the policy allows a badge; prepared ${txDigest} with the app's own access key: the demo's fund pays`,
  );
  const signed = { txBytes, signature: await signatureOf(user, txBytes) };
  const execution = await flow("execute-sponsored", signed, { "idempotency-key": txDigest });
  const { status, effects } = expectAnswer("/flows/execute-sponsored", execution, flowExecutedSchema);
  step("executed", `the user has signed: ${status}`);
  await tellCharge(stage, stage.demo.fundId, txDigest, netChargeMist(effects.gasUsed));

  const foreign = await kindOf((transaction) => {
    transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
  });
  const refused = await flow("sponsor", { transactionKind: foreign, sender });
  const { error } = flowErrorSchema.safeParse(refused.body).data ?? { error: { code: "", message: "" } };
  must(
    refused.status === 403 && error.code === "policy_refused",
    `the policy should refuse 0x2::coin::zero, but /flows/sponsor answered ${refused.status}: ${JSON.stringify(refused.body)}`,
  );
  step("refused", `0x2::coin::zero: ${refused.status} ${error.code}: ${error.message}`);
  // The workflows' access key belongs to the demo's fund, so the story's own pays nothing here.
  return 0n;
}
