import * as z from "zod";
import { expectAnswer, http } from "../client/http.ts";

const addressSchema = z.string().regex(/^0x[0-9a-f]{64}$/);
const contractsSchema = z.object({
  sui: z.object({ package: addressSchema }),
  aptos: z.object({ address: addressSchema, module: z.string().regex(/^[a-z][a-z_]{0,63}$/) }),
});

/** The demo's code on the development chain. */
export interface DemoContracts {
  /** The address of the Sui package, which has a module `demo`. */
  readonly suiPackage: string;
  /** `0x…::demo`. */
  readonly aptosModule: `${string}::${string}`;
}

/**
 * Reads the places of the demo contracts from a running development chain.
 *
 * @throws UnexpectedAnswer if the chain gives another answer.
 */
export async function readDemoContracts(chainUrl: string): Promise<DemoContracts> {
  const answer = await http(`${chainUrl}/control/demo`);
  const { sui, aptos } = expectAnswer("the development chain", answer, contractsSchema);
  return { suiPackage: sui.package, aptosModule: `${aptos.address}::${aptos.module}` };
}
