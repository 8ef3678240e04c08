import { SuiGrpcClient } from "@mysten/sui/grpc";
import { inject } from "vitest";
import * as z from "zod";
import { adminCall, createFund, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import { createFundedFund, deposit as depositInto, type ProjectFund } from "../../shared/cli/client/funds.ts";
import type { HttpAnswer } from "../../shared/cli/client/http.ts";
import { rpcCall, rpcResult, SUI_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import * as shown from "../../shared/cli/client/shown.ts";
import { secretsOf } from "../leaks/log-search.ts";
import { type Command, doneSchema, type Harness, harnessSchema } from "./service-control.ts";

/** Two files that run at once run in two workers, which have two pool ids. */
const controlUrl = `${inject("servicesUrl")}/${process.env.VITEST_POOL_ID}`;

async function controlAnswer<Schema extends z.ZodType>(schema: Schema, init?: RequestInit): Promise<z.output<Schema>> {
  const response = await fetch(controlUrl, init);
  if (!response.ok) throw new Error(await response.text());
  return schema.parse(await response.json());
}

/** The service and chain of this worker, from `e2e-setup.ts`. No other worker calls or restarts them. */
export const harness: Harness = await controlAnswer(harnessSchema);
export const { serviceUrl, chainUrl, callerSecret } = harness;
/** One for all files of a worker: a service keeps to the FLOWS_SECRET of its first start. */
export const flowsSecret = Buffer.from(harness.flowsSecret, "base64");
export const gasUrl = `${serviceUrl}${SUI_GAS_PATH}`;

/** The stock client, at the development chain. */
export const sui = new SuiGrpcClient({ network: "localnet", baseUrl: `${chainUrl}/sui` });

let names = 0;
/** A name that no other test uses. Files share a service. */
export function uniqueName(prefix: string): string {
  names += 1;
  return `${prefix} ${process.pid.toString(36)}-${Date.now().toString(36)}-${names}`;
}

const secrets = new Set<string>();
/** Has the log be searched for this secret after the file, and returns it. */
export function keepSecret(secret: string): string {
  secrets.add(secret);
  return secret;
}

export async function admin(
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  const answer = await adminCall(harness, method, path, body, idempotencyKey);
  for (const secret of secretsOf(answer.body)) keepSecret(secret);
  return answer;
}

export function newProject(): Promise<string> {
  return createProject(harness, uniqueName("project"));
}

const ONE_SUI_MIST = 1_000_000_000n;

/** A fund in a project of its own, holding one coin of 5 SUI unless told otherwise. */
export function newFund(coinsMist: readonly bigint[] = [5n * ONE_SUI_MIST]): Promise<ProjectFund> {
  return createFundedFund(harness, uniqueName("fund"), coinsMist);
}

/** A fund without coins. `fields` go to the admin API as they are. */
export async function newEmptyFund(fields: object = {}) {
  const projectId = await newProject();
  const fund = await createFund(harness, projectId, { name: uniqueName("fund"), ...fields });
  return { projectId, fundId: fund.id, depositAddress: fund.depositAddress };
}

/** An access key with the gas right for this fund; `fields` override. The default rate never stands in a test's way. */
export async function newKey(fund: { projectId: string; fundId: string }, fields: object = {}) {
  const { id, key } = await createKey(harness, fund.projectId, {
    name: uniqueName("key"),
    rights: ["gas"],
    fundId: fund.fundId,
    limits: { qps: 10_000, cups: 1_000 },
    ...fields,
  });
  return { keyId: id, key: keepSecret(key) };
}

/** Puts coins into a fund and waits until it counts them. */
export function deposit(fund: ProjectFund, coinsMist: readonly bigint[]): Promise<void> {
  return depositInto(harness, fund, coinsMist);
}

/** A gas call, refusals included. */
export function gas(
  key: string,
  method: string,
  params: readonly unknown[],
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  return rpcCall(gasUrl, key, method, params, idempotencyKey);
}

/** A gas call that must succeed with a result of this shape. */
export function gasResult<Schema extends z.ZodType>(
  key: string,
  method: string,
  params: readonly unknown[],
  schema: Schema,
): Promise<z.output<Schema>> {
  return rpcResult(gasUrl, key, method, params, schema);
}

function control(command: Command): Promise<z.output<typeof doneSchema>> {
  return controlAnswer(doneSchema, { method: "POST", body: JSON.stringify(command) });
}

/**
 * Moves the clocks of service and chain forward by restarting both. They never go back, so a file that needs an exact
 * instant reads it from an answer, not from `Date.now()`.
 *
 * @returns how far the clocks are now ahead of this process's.
 */
export async function advance(ms: number): Promise<number> {
  return (await control({ do: "advance", ms })).clockOffsetMs;
}

/** Runs the cron handler now. */
export async function scheduled(cron: string): Promise<void> {
  await control({ do: "scheduled", cron });
}

/**
 * Sets variables of the service and restarts it; an empty one counts as unset. After each file they are again what they
 * were at the beginning (`e2e-reset.ts`).
 */
export async function setServiceVars(serviceVars: Readonly<Record<string, string>>): Promise<void> {
  await control({ do: "set", serviceVars });
}

/** Gives the service the variables that it began with. Restarts it only if one differs. */
export async function resetServiceVars(): Promise<void> {
  await control({ do: "reset" });
}

/** Searches the lines that the service has logged since the last search. @throws if one has a secret. */
export async function expectNoSecretInLog(): Promise<void> {
  const { leaks } = await control({ do: "search", secrets: [...secrets] });
  if (leaks.length > 0)
    throw new Error(`The service has logged ${leaks.join(", ")}. This file or the one before did it.`);
}

/** Returns what the service has logged of the request with this answer. */
export async function requestLineOf({
  headers,
}: Pick<HttpAnswer, "headers">): Promise<Readonly<Record<string, unknown>>> {
  const { line } = await control({ do: "request-line", requestId: headers.get("x-request-id") ?? "" });
  return z.record(z.string(), z.unknown()).parse(JSON.parse(line ?? ""));
}

/** Mounts the workflows with this access key, in place of the one before. */
export function useFlowsKey(key: string): Promise<void> {
  return setServiceVars({ FLOWS_CALLER_SECRET: callerSecret, FLOWS_SUI_KEY: key });
}

/** A new coin for any address of the development chain, which its node shows. */
export async function giveSui(address: string, amountMist: bigint) {
  const given = await faucet(chainUrl, address, amountMist);
  await untilShown(given.digest);
  return given;
}

/** Resolves once the Sui node shows this transaction. */
export function untilShown(digest: string): Promise<void> {
  return shown.untilShown(chainUrl, digest);
}

/** Resolves once the Sui node shows all that the chain had executed when this was called. */
export function untilAllIsShown(): Promise<void> {
  return shown.untilAllIsShown(chainUrl);
}
