import type { MethodContract } from "../api/contract.ts";
import { createRpcClient, type Method, type RpcClientOptions } from "./rpc-client.ts";

type Contracts = Readonly<Record<string, MethodContract>>;

/** The methods of one path, each with its name in a client. */
export interface MethodsAt<Methods extends Contracts> {
  readonly path: string;
  readonly methods: Methods;
}

/** The calls of one path. */
export type CallsOf<Methods extends Contracts> = {
  readonly [Name in keyof Methods]: Method<Methods[Name]["params"], Methods[Name]["result"]>;
};

/** Names the methods of a path. */
export function methodsAt<Methods extends Contracts>(path: string, methods: Methods): MethodsAt<Methods> {
  return { path, methods };
}

/** Creates the calls of a path. */
export function bind<Methods extends Contracts>(at: MethodsAt<Methods>, options: RpcClientOptions): CallsOf<Methods> {
  const method = createRpcClient(at.path, options);
  const calls = Object.entries(at.methods).map(([name, contract]) => [name, method(contract)] as const);
  return Object.fromEntries(calls) as CallsOf<Methods>;
}
