import * as z from "zod";
import { wholeList } from "../commands/whole-list.ts";
import type { Connected } from "../session.ts";
import { type Check, counted, findingsOf, orOk } from "./finding.ts";
import { ofOwner } from "./service.ts";

const DAY_MS = 86_400_000;
const TOKEN_WARN_DAYS = 14;
const LAG_WARN_MS = 15_000;

const secrets = z.array(z.object({ secret: z.string(), version: z.int() })).default([]);
const masterKeySchema = z.object({
  current: z.int(),
  remaining: z.int(),
  failing: z.int(),
  unopenable: z.int(),
  wrong: secrets,
  undecided: secrets,
});

const named = (list: z.output<typeof secrets>) => list.map(({ secret, version }) => `${secret} ${version}`).join(", ");

/** Checks the versions of the secrets. */
export const checkSecrets: Check = async ({ service }) => {
  const found = findingsOf("secrets");
  const answered = await ofOwner(() => service.call({ method: "GET", path: "/master-key" }));
  if (answered === null) return [found.warn("not looked at: that needs the role owner", "log in as owner")];
  const { current, remaining, failing, unopenable, wrong, undecided } = masterKeySchema.parse(answered.body);
  return orOk(
    [
      ...(wrong.length > 0
        ? [found.fail(`${named(wrong)} differ from those used first`, "put back the right values")]
        : []),
      ...(unopenable > 0
        ? [
            found.fail(
              `${counted(unopenable, "key")} cannot be opened without a newer master key`,
              "put that version back into MASTER_KEYS",
            ),
          ]
        : []),
      ...(failing > 0
        ? [found.fail(`${counted(failing, "key")} could not be re-sealed`, "search the log for project.reseal_failed")]
        : []),
      ...(undecided.length > 0
        ? [found.warn(`${named(undecided)} have no check value yet`, "open a wallet or a fund of each project once")]
        : []),
      ...(remaining > 0
        ? [found.warn(`${counted(remaining, "key")} under an older master key`, "gasworks master-key rewrap")]
        : []),
    ],
    found.ok(`every key is under master key ${current}`),
  );
};

const nodeSchema = z.object({
  network: z.string(),
  endpoint: z.string(),
  state: z.string(),
  inUse: z.boolean(),
  cause: z.string().nullable(),
  lagMs: z.number().nullable(),
});

/** Checks the nodes of the networks that funds and keys use. */
export const checkNodes: Check = async ({ service }) => {
  const found = findingsOf("nodes");
  const { body } = await service.call({ method: "GET", path: "/nodes" });
  const { items } = z.object({ items: z.array(nodeSchema) }).parse(body);
  const byNetwork = Map.groupBy(
    items.filter(({ inUse }) => inUse),
    ({ network }) => network,
  );
  const findings = [...byNetwork].flatMap(([network, nodes]) => {
    const bad = nodes.filter(({ state }) => state === "unhealthy");
    const late = nodes.filter(({ lagMs }) => (lagMs ?? 0) > LAG_WARN_MS);
    return [
      ...bad.map(({ endpoint, cause }) => {
        const text = `${network}: ${endpoint} fails: ${cause ?? "no cause"}`;
        return bad.length === nodes.length
          ? found.fail(`${text}; no other node is healthy`, "configure another node, and look at this one")
          : found.warn(text, "look at this node");
      }),
      ...late.map(({ endpoint, lagMs }) =>
        found.warn(`${network}: ${endpoint} is ${lagMs} ms behind`, "look at this node"),
      ),
      ...(nodes.length === 1 && !network.endsWith("LOCALNET")
        ? [found.warn(`${network} has one node only`, "configure a second one of another operator")]
        : []),
    ];
  });
  return orOk(
    findings,
    found.ok(`${counted(items.filter(({ inUse }) => inUse).length, "node")} in use, and none fails`),
  );
};

const tokenSchema = z.object({ id: z.string(), name: z.string(), role: z.string(), expiresAt: z.string() });

/** Checks which tokens end soon. */
export const checkTokens: Check = async (connected: Connected) => {
  const found = findingsOf("tokens");
  const listed = await ofOwner(() => wholeList(connected, { method: "GET", path: "/tokens" }));
  if (listed === null) return [found.warn("not looked at: that needs the role owner", "log in as owner")];
  const tokens = z.array(tokenSchema).parse(listed);
  const nowMs = connected.clock.nowMs();
  const findings = tokens.flatMap(({ id, name, expiresAt }) => {
    const days = (Date.parse(expiresAt) - nowMs) / DAY_MS;
    if (days > TOKEN_WARN_DAYS) return [];
    return days < 0
      ? [found.warn(`“${name}” (${id}) has ended`, `gasworks token delete ${id}, or make another one`)]
      : [
          found.warn(
            `“${name}” (${id}) ends in ${counted(Math.floor(days), "day")}`,
            "gasworks token create, and give it to its holder",
          ),
        ];
  });
  return orOk(findings, found.ok(`${counted(tokens.length, "token")}, and none ends within ${TOKEN_WARN_DAYS} days`));
};
