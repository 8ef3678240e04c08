import { RawTransaction } from "@aptos-labs/ts-sdk";
import { ZERO_ADDRESS } from "../address.ts";
import { invalidInput } from "../errors.ts";
import { execute, type Output } from "../execute.ts";
import { aptBalance } from "../move/fungible.ts";
import { targetOf } from "../move/run.ts";
import { whyInvalid } from "../prologue.ts";
import { committedJson } from "../render.ts";
import { isAbsent, verifySignatures } from "../signatures.ts";
import { decodeSigned, feePayerOf, type Signed } from "../signed.ts";
import { digitsOf } from "./json-body.ts";
import { flagQuery, requireContentType } from "./parameters.ts";
import { type ApiCall, type Routes, stateAt } from "./route.ts";
import { SIGNED_TRANSACTION } from "./transactions.ts";

const ESTIMATED_PRICE_OCTAS = 100n;
const PRIORITIZED_PRICE_OCTAS = 150n;

export const simulationRoutes: Routes = {
  "POST /transactions/simulate": async (call) => {
    requireContentType(call, SIGNED_TRANSACTION);
    const given = decodeSigned(call.body);
    if (!isAbsent(given.senderAuthenticator) && (await verifySignatures(given))) {
      throw invalidInput("Simulated transactions must not have a valid signature");
    }
    const signed = withEstimates(call, given);
    const { version, timestampUs } = call.node.view();
    const output = simulate(call, signed, version, timestampUs);
    const json = { version: String(version), ...committedJson(signed, output), timestamp: String(timestampUs) };
    return { json: [json], headers: { "X-Aptos-Gas-Used": String(output.gasUsed) } };
  },
};

function simulate({ node }: ApiCall, signed: Signed, version: number, timestampUs: bigint): Output {
  const world = stateAt(node.store, version);
  const invalid = whyInvalid(signed, {
    stage: "simulation",
    gas: node.gas,
    world,
    nowSeconds: timestampUs / 1_000_000n,
    nonceExpiry: (sender, nonce) => node.store.nonceExpiry(sender, nonce, version),
  });
  if (invalid === undefined) return withMessage(signed, execute(signed, world.get, node.gas));
  return { success: false, vmStatus: invalid, gasUsed: 0n, events: [], changes: [] };
}

/** A simulation says more of a module that is not there than the transaction does (recorded). */
function withMessage(signed: Signed, output: Output): Output {
  if (output.vmStatus !== "LINKER_ERROR") return output;
  const [address = "", name = ""] = targetOf(signed.executable).module.split("::");
  const why = `Linker Error: Module ${digitsOf(address)}::${name} doesn't exist`;
  return { ...output, vmStatus: `${output.vmStatus}\nExecution failed with message: ${why}` };
}

/** Fills in price and gas as the query asks for; the hash stays that of what was sent. */
function withEstimates(call: ApiCall, signed: Signed): Signed {
  const { raw } = signed;
  const price = flagQuery(call, "estimate_prioritized_gas_unit_price")
    ? PRIORITIZED_PRICE_OCTAS
    : flagQuery(call, "estimate_gas_unit_price")
      ? ESTIMATED_PRICE_OCTAS
      : raw.gas_unit_price;
  const maxUnits = flagQuery(call, "estimate_max_gas_amount")
    ? affordableUnits(call, signed, price)
    : raw.max_gas_amount;
  const estimated = new RawTransaction(
    raw.sender,
    raw.sequence_number,
    raw.payload,
    maxUnits,
    price,
    raw.expiration_timestamp_secs,
    raw.chain_id,
  );
  return { ...signed, raw: estimated };
}

/** All that the gas payer could pay for, up to the bound. */
function affordableUnits({ node }: ApiCall, signed: Signed, priceOctas: bigint): bigint {
  const payer = feePayerOf(signed);
  if (payer === ZERO_ADDRESS || priceOctas === 0n) return node.gas.maxUnits;
  const units = aptBalance(stateAt(node.store, node.view().version), payer) / priceOctas;
  return units < node.gas.maxUnits ? units : node.gas.maxUnits;
}
