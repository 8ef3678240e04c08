import { expect } from "vitest";
import * as z from "zod";
import { rights } from "../../shared/api/contract.ts";
import { admin, newFund, newKey, serviceUrl } from "../local/harness.ts";
import { type SecurityTarget, securitySuite } from "./suite.ts";

const heldSchema = z.object({ inFlight: z.string() });

/** An Aptos key stands for a key of another chain. It has no fund. */
const APTOS = { network: "APTOS_LOCALNET", rights: ["node"], fundId: null };

async function target(): Promise<SecurityTarget> {
  const fund = await newFund();
  return {
    fetch: (path, init) => fetch(`${serviceUrl}${path}`, init),
    keys: async () => {
      const { keyId, key: disabled } = await newKey(fund);
      expect((await admin("PATCH", `/keys/${keyId}`, { status: "disabled" })).status).toBe(200);
      const withoutRight = await Promise.all(
        rights.map(async (right) => {
          const others = rights.filter((other) => other !== right);
          const fundId = others.includes("gas") ? fund.fundId : null;
          return [right, (await newKey(fund, { rights: others, fundId })).key] as const;
        }),
      );
      const byRight = new Map(withoutRight);
      return {
        live: (await newKey(fund, { rights })).key,
        disabled,
        otherChain: (await newKey(fund, APTOS)).key,
        without: (right) => byRight.get(right) ?? "",
      };
    },
    nothingIsHeld: async () => {
      const { body } = await admin("GET", `/funds/${fund.fundId}`);
      expect(heldSchema.parse(body).inFlight).toBe("0");
      const sponsorships = await admin("GET", `/funds/${fund.fundId}/sponsorships`);
      expect(sponsorships.body).toMatchObject({ items: [] });
    },
  };
}

securitySuite(target);
