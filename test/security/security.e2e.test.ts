import { expect } from "vitest";
import * as z from "zod";
import { rights } from "../../shared/api/contract.ts";
import { APTOS_NETWORK } from "../../shared/cli/client/admin.ts";
import { admin, newFund, newKey, serviceUrl } from "../harness/harness.ts";
import { newAptosFund } from "../support/aptos.ts";
import { variants } from "../support/rounds.ts";
import { restSecuritySuite } from "./rest.ts";
import { type SecurityTarget, securitySuite } from "./suite.ts";

const heldSchema = z.object({ inFlight: z.string() });

async function target(): Promise<SecurityTarget> {
  const sui = { fund: await newFund(), network: "SUI_LOCALNET" };
  const aptos = { fund: await newAptosFund(), network: APTOS_NETWORK };
  return {
    fetch: (path, init) => fetch(`${serviceUrl}${path}`, init),
    keys: async ({ chain }) => {
      const [{ fund, network }, other] = chain === "sui" ? [sui, aptos] : [aptos, sui];
      const own = { rights, network };
      const { keyId, key: disabled } = await newKey(fund, own);
      expect((await admin("PATCH", `/keys/${keyId}`, { status: "disabled" })).status).toBe(200);
      const withoutRight = await Promise.all(
        rights.map(async (right) => {
          const others = rights.filter((one) => one !== right);
          const fundId = others.includes("gas") ? fund.fundId : null;
          return [right, (await newKey(fund, { ...own, rights: others, fundId })).key] as const;
        }),
      );
      const byRight = new Map(withoutRight);
      return {
        live: (await newKey(fund, own)).key,
        another: async () => (await newKey(fund, own)).key,
        disabled,
        otherChain: (await newKey(other.fund, { rights, network: other.network })).key,
        without: (right) => byRight.get(right) ?? "",
      };
    },
    nothingIsHeld: async () => {
      for (const { fund } of [sui, aptos]) {
        const { body } = await admin("GET", `/funds/${fund.fundId}`);
        expect(heldSchema.parse(body).inFlight).toBe("0");
        const sponsorships = await admin("GET", `/funds/${fund.fundId}/sponsorships`);
        expect(sponsorships.body).toMatchObject({ items: [] });
      }
    },
  };
}

securitySuite(target, variants);
restSecuritySuite(target);
