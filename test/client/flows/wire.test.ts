import { expectTypeOf, test } from "vitest";
import type * as z from "zod";
import type { createWalletOnChain } from "../../../functions/create-wallet-on-chain.ts";
import type { executeSponsored } from "../../../functions/execute-sponsored.ts";
import type { signTransaction } from "../../../functions/sign-transaction.ts";
import type { sponsor } from "../../../functions/sponsor.ts";
import type { sponsorAndExecute } from "../../../functions/sponsor-and-execute.ts";
import type { wallet } from "../../../functions/wallet.ts";
import type * as flows from "../../../shared/client/flows/wire.ts";
import type { Workflow } from "../../../shared/workflow/handler.ts";

type InputOf<W> = W extends Workflow<infer Schema> ? z.input<Schema> : never;

test("the compiler finds each request of the client among the inputs of its workflow", () => {
  expectTypeOf<flows.ChainRequest>().toExtend<InputOf<typeof createWalletOnChain>>();
  expectTypeOf<flows.ChainRequest>().toExtend<InputOf<typeof wallet>>();
  expectTypeOf<flows.SuiSponsorRequest>().toExtend<InputOf<typeof sponsor>>();
  expectTypeOf<flows.AptosSponsorRequest>().toExtend<InputOf<typeof sponsor>>();
  expectTypeOf<flows.SuiExecuteRequest>().toExtend<InputOf<typeof executeSponsored>>();
  expectTypeOf<flows.AptosExecuteRequest>().toExtend<InputOf<typeof executeSponsored>>();
  expectTypeOf<flows.EmbeddedRequest>().toExtend<InputOf<typeof sponsorAndExecute>>();
  expectTypeOf<flows.SignRequest>().toExtend<InputOf<typeof signTransaction>>();
});
