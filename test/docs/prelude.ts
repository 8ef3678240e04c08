import type { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { Hono } from "hono";
import type { WorkflowEnv, workflow } from "../../shared/workflow/handler.ts";

/**
 * Names that a `ts` block of a page may use without declaring them. The page's prose introduces each one. Everything
 * else a block imports.
 */

/** Calls a method of the service with the access key of the app's back end. */
export declare function rpc(
  method: "gas_sponsorTransactionBlock",
  params: readonly [kind: string, sender: string],
): Promise<{ readonly txBytes: string; readonly signature: string }>;

/** The user's key pair, and its address. */
export declare const keypair: Ed25519Keypair;
export declare const sender: string;

/** A client of a full node. */
export declare const sui: SuiGrpcClient;

/** The app's Move package. */
export declare const PACKAGE: string;

/** A request that the app's server has received. */
export declare const request: Request;

/** The app of `functions/workflows.ts`, and the workflow that `functions/README.md` writes. */
export declare const app: Hono<WorkflowEnv>;
export declare const mintBadge: ReturnType<typeof workflow>;
