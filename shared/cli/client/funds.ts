import { type AdminAccess, APTOS_NETWORK, createFund, createProject, getFund, refreshPast } from "./admin.ts";
import { faucet, faucetApt } from "./faucet.ts";
import { UnexpectedAnswer } from "./http.ts";
import { untilShown } from "./shown.ts";

/** A running service beside the development chain. */
export interface ServiceAccess extends AdminAccess {
  readonly chainUrl: string;
}

/**
 * Pays coins into a fund from the faucet, and has the fund look for them until it counts them. The balance may then be
 * less than the sum: the fund pays for splitting large deposits into coins for sponsorships.
 */
export async function deposit(
  access: ServiceAccess,
  fund: { readonly fundId: string; readonly depositAddress: string },
  coinsMist: readonly bigint[],
): Promise<void> {
  const { balance: before } = await getFund(access, fund.fundId);
  let digest: string | undefined;
  for (const amountMist of coinsMist) ({ digest } = await faucet(access.chainUrl, fund.depositAddress, amountMist));
  // The fund might find the first coin alone before all coins are shown.
  if (digest !== undefined) await untilShown(access.chainUrl, digest);
  await refreshPast(access, fund.fundId, BigInt(before));
}

/** A fund, its project, and the address that deposits go to. */
export interface ProjectFund {
  readonly projectId: string;
  readonly fundId: string;
  readonly depositAddress: string;
}

/** Creates a project with one empty fund. `fields` and `project` are further members of the two requests. */
export async function createFundInProject(
  access: AdminAccess,
  name: string,
  fields: object = {},
  project: object = {},
): Promise<ProjectFund> {
  const projectId = await createProject(access, name, project);
  const { id: fundId, depositAddress } = await createFund(access, projectId, { name, ...fields });
  if (depositAddress === null) throw new UnexpectedAnswer("the new fund has no deposit address");
  return { projectId, fundId, depositAddress };
}

/** Creates a project with one fund that owns these coins. `project` holds further members of its request. */
export async function createFundedFund(
  access: ServiceAccess,
  name: string,
  coinsMist: readonly bigint[],
  project: object = {},
): Promise<ProjectFund> {
  const fund = await createFundInProject(access, name, {}, project);
  if (coinsMist.length > 0) await deposit(access, fund, coinsMist);
  return fund;
}

/** Creates a fund on Aptos with this balance in the project. */
export async function createAptosFund(
  access: ServiceAccess,
  projectId: string,
  name: string,
  octas: bigint,
): Promise<ProjectFund> {
  const { id: fundId, depositAddress } = await createFund(access, projectId, { name, network: APTOS_NETWORK });
  if (depositAddress === null) throw new UnexpectedAnswer("the new fund has no deposit address");
  if (octas > 0n) {
    await faucetApt(access.chainUrl, depositAddress, octas);
    await refreshPast(access, fundId, 0n);
  }
  return { projectId, fundId, depositAddress };
}
