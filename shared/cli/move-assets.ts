import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import * as z from "zod";
import { secret, walletId } from "../api/wallet-values.ts";
import { runCommand } from "./command.ts";
import { assetsOf } from "./move/assets.ts";
import { Journal } from "./move/journal.ts";
import { gasAt, openSource, openTarget, type Place, walletsAt } from "./move/services.ts";
import { moveWallet } from "./move/wallet.ts";
import { LaunchError, parseOptions, print, UsageError } from "./terminal.ts";

const USAGE = `Usage: npm run move-assets -- --wallets <file> [--list]

Moves what wallets of a hosted service own on Sui to wallets here. The old service signs, a fund here pays.

  --wallets <file>   one wallet a line: {"walletId": "…", "secret": "…"}, with "newSecret" where it is another one here
  --list             list what would be moved, and move nothing
  --help             this text

OLD_URL, OLD_KEY    the old service and an access key for its wallets; OLD_PREFIX of its methods is shinami if unset
NEW_URL, NEW_KEY    this service and an access key with the rights wallet and gas
SUI_NODE            a gRPC full node of the network

Beside the wallets' file, <file>.moved notes what was submitted. Killed, or ended by an error, it goes on where it
stopped when it is run again.`;

const OPTIONS = { wallets: { type: "string" }, list: { type: "boolean" } } as const;
const EXIT_INTERRUPTED = 130;

const walletLine = z.strictObject({ walletId, secret, newSecret: secret.optional() });

/** Reads the wallets. Errors name the line, never its content. */
function readWallets(text: string, path: string): readonly z.output<typeof walletLine>[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [walletLine.parse(JSON.parse(line))];
    } catch {
      throw new LaunchError(`${path}: line ${index + 1} must be {"walletId": "…", "secret": "…"}`);
    }
  });
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new UsageError(`${name} is not set: set it in the environment`, USAGE);
  return value;
}

interface Places {
  readonly old: Place;
  readonly here: Place;
  readonly chain: SuiGrpcClient;
}

function places(): Places {
  return {
    old: {
      baseUrl: variable("OLD_URL"),
      accessKey: variable("OLD_KEY"),
      prefix: process.env.OLD_PREFIX ?? "shinami",
    },
    here: { baseUrl: variable("NEW_URL"), accessKey: variable("NEW_KEY"), prefix: "svc" },
    // The client needs only some name of a network. Everything is read from this node.
    chain: new SuiGrpcClient({ network: "custom", baseUrl: variable("SUI_NODE") }),
  };
}

type Wallet = z.output<typeof walletLine>;

async function list(wallets: readonly Wallet[], { old, chain }: Places): Promise<void> {
  const at = walletsAt(old);
  for (const wallet of wallets) {
    const { address } = await openSource(at, wallet);
    const { objects, balances } = await assetsOf(chain, address);
    print(`${wallet.walletId}  ${address}  ${objects.length} objects, ${balances.length} address balances`);
    for (const { objectId, type } of objects) print(`  ${objectId}  ${type}`);
    for (const { coinType, amount } of balances) print(`  ${amount}  ${coinType}`);
  }
}

/** Moves all wallets. @returns the exit code: 1 if an asset could not be moved. */
async function moveAll(wallets: readonly Wallet[], { old, here, chain }: Places, journal: Journal): Promise<number> {
  const [from, to, gas] = [walletsAt(old), walletsAt(here), gasAt(here)];
  let exitCode = 0;
  for (const { walletId, secret, newSecret = secret } of wallets) {
    const source = await openSource(from, { walletId, secret });
    const target = await openTarget(to, { walletId, secret: newSecret });
    if (source.address === target.address)
      throw new LaunchError(
        `wallet ${walletId} has the same address at both services: remove it from the list, nothing has to move`,
      );
    const { objects, balances, left } = await moveWallet({ source, target, old: from, gas, chain, journal });
    print(`${walletId}  ${source.address} → ${target.address}  moved ${objects} objects, ${balances} address balances`);
    for (const line of left) print(`  left: ${line}`);
    if (left.length > 0) exitCode = 1;
  }
  return exitCode;
}

await runCommand({
  exitCodeWhenInterrupted: EXIT_INTERRUPTED,
  run: async (hold) => {
    const options = parseOptions(USAGE, OPTIONS);
    if (options === null) return 0;
    if (typeof options.wallets !== "string")
      throw new UsageError("--wallets is missing: name the file of wallets", USAGE);
    // npm runs scripts in the repository. Paths are relative to the person's directory.
    const path = resolve(process.env.INIT_CWD ?? ".", options.wallets);
    const text = await readFile(path, "utf8").catch(() => {
      throw new LaunchError(`${path} cannot be read: check the path and its permissions`);
    });
    const wallets = readWallets(text, path);
    if (options.list === true) {
      await list(wallets, places());
      return 0;
    }
    const journal = await Journal.at(`${path}.moved`);
    hold(() => journal.close());
    return moveAll(wallets, places(), journal);
  },
});
