import type * as z from "zod";
import type { MethodContract } from "../../api/contract.ts";
import { pendingTransaction } from "../../chain/aptos/pending-transaction.ts";
import { suiTransactionBlock } from "../../chain/sui/json-rpc/block-schema.ts";
import { responseOptions } from "../../chain/sui/json-rpc/response-options.ts";
import { suiTransactionResponse } from "../../chain/sui/json-rpc/response-schema.ts";
import type { MethodsAt } from "../../client/bind.ts";
import { aptosGasMethods, suiGasMethods } from "../../client/gas-client.ts";
import {
  aptosKeyMethods,
  aptosWalletMethods,
  deployedSuiKeyMethods,
  deployedSuiWalletMethods,
  suiWalletMethods,
  suiWalletV2Methods,
} from "../../client/wallet-client.ts";
import { walletExportSchema } from "../../wallet/export.ts";
import { codecFunction, codecName, comment, type Named, SchemaWriter } from "./schema.ts";

type Methods = MethodsAt<Readonly<Record<string, MethodContract>>>;

/** The clients of the package, with the methods of each. */
const CLIENTS: Readonly<Record<string, readonly Methods[]>> = {
  SuiGasClient: [suiGasMethods],
  AptosGasClient: [aptosGasMethods],
  SuiWalletClient: [suiWalletMethods],
  SuiWalletV2Client: [suiWalletV2Methods],
  DeployedSuiWalletClient: [deployedSuiKeyMethods, deployedSuiWalletMethods],
  AptosWalletClient: [aptosKeyMethods, aptosWalletMethods],
};

const NAMED: readonly Named[] = [
  {
    name: "SuiTransactionBlock",
    schema: suiTransactionBlock,
    description: "A transaction as a full node's JSON-RPC shows it.",
  },
  {
    name: "SuiTransactionResponse",
    schema: suiTransactionResponse,
    description: "An executed transaction as a full node's JSON-RPC shows it. u64 are decimal strings.",
  },
  {
    name: "SuiResponseOptions",
    schema: responseOptions,
    description: "The parts of an executed transaction that a caller wants to see.",
  },
  {
    name: "AptosPendingTransaction",
    schema: pendingTransaction,
    description: "A transaction that waits in a mempool, as a node shows it.",
  },
  {
    name: "WalletExport",
    schema: walletExportSchema,
    description: "An export of one wallet. It is as safe as the wallet's secret is hard to guess.",
  },
];

const CODECS = [
  "address",
  "array",
  "base64Bytes",
  "boolean",
  "byteNumbers",
  "type Codec",
  "hexBytes",
  "integer",
  "method",
  "natural",
  "nullable",
  "number",
  "object",
  "oneOf",
  "optional",
  "pattern",
  "record",
  "text",
  "tuple",
  "u64",
  "u64Text",
  "union",
  "unknown",
];

/** Writes the module of the clients, from the contracts of the methods. */
export function writeClients(): string {
  const writer = new SchemaWriter(NAMED);
  const body = [
    ...NAMED.map((named) => writeNamed(writer, named)),
    ...Object.entries(CLIENTS).map(([name, groups]) => writeClient(writer, name, groups)),
  ].join("\n\n");
  const used = CODECS.filter((name) => new RegExp(`\\b${name.replace("type ", "")}\\b[(<,) ]`).test(body));
  return [
    "// Written from the contracts of the wire. Do not edit.",
    'import { type Call, createCalls, type RpcClientOptions } from "../calls.ts";',
    `import { ${used.join(", ")} } from "./codec.ts";`,
    "",
    body,
    "",
  ].join("\n");
}

function writeNamed(writer: SchemaWriter, { name, schema, description }: Named): string {
  const { type, codec } = writer.writeWhole(schema);
  // The codec names the type instead of repeating it.
  const short = codec.replace(`object<${type}>`, `object<${name}>`);
  return `${comment(description)}export type ${name} = ${type};\n\n${codecFunction(codecName(name), name, short)}`;
}

interface MethodText {
  readonly declared: string;
  readonly made: string;
}

function writeClient(writer: SchemaWriter, name: string, groups: readonly Methods[]): string {
  const methods = groups.flatMap(({ methods }, index) =>
    Object.entries(methods).map(([method, contract]) => writeMethod(writer, method, contract, `call${index}`)),
  );
  const paths = groups.map(({ path }) => `\`${path}\``).join(" and ");
  return [
    `/** A client of ${paths}. */`,
    `export interface ${name} {\n${methods.map(({ declared }) => declared).join("\n")}\n}`,
    "",
    comment(
      `Creates a client of ${paths}. Every method returns \`{ ok: true, value }\` or \`{ ok: false, error }\`, and never rejects.`,
    ).trimEnd(),
    `export function create${name}(options: RpcClientOptions): ${name} {`,
    ...groups.map(({ path }, index) => `const call${index} = createCalls(${JSON.stringify(path)}, options);`),
    `return {\n${methods.map(({ made }) => made).join("\n")}\n};`,
    "}",
  ].join("\n");
}

function writeMethod(writer: SchemaWriter, name: string, contract: MethodContract, call: string): MethodText {
  const params = writer.fields(contract.params.shape as Readonly<Record<string, z.core.$ZodType>>, "params");
  const result = writer.write(contract.result);
  const doc = comment(`\`${contract.name}\`: ${contract.summary} ${contract.description}`);
  const made = `method<${params.type}, ${result.type}>(${JSON.stringify(contract.name)}, ${contract.idempotent}, ${params.codec}, ${result.codec})`;
  return {
    declared: `${doc}readonly ${name}: Call<${params.type}, ${result.type}>;`,
    made: `${name}: ${call}(${made}),`,
  };
}
