// Runs a TypeScript file of the project, or a tool of its packages, on a Node that is new enough. Plain JavaScript,
// because it runs on older ones. On Linux the lock file brings a Node as a package. npm 10 and some of 11 do not link
// it into node_modules/.bin, so this calls it by its path.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Two packages have a `tsc`, and npm links only one of them. This one takes two fifths of the CPU time of the other.
const TOOLS = {
  tsc: "typescript-native/bin/tsc",
  vitest: "vitest/vitest.mjs",
  wrangler: "wrangler/bin/wrangler.js",
};
const TYPESCRIPT = ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
const PARENT_POLL_MS = 500;

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));

function newEnoughNode() {
  const packaged = join(packages, `node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(packaged)) return packaged;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 12) ? process.execPath : null;
}

const node = newEnoughNode();
const [what = "", ...args] = process.argv.slice(2);
if (node === null) {
  console.error(
    `Gasworks needs Node 22.12 or newer here, and this is ${process.version}.\n` +
      "Install a newer one from https://nodejs.org. On Linux, npm ci brings it: run it without --omit=optional.",
  );
  process.exit(1);
}

const tool = TOOLS[what];
const command = tool === undefined ? [...TYPESCRIPT, what, ...args] : [join(packages, tool), ...args];
// What it starts finds the same Node, and keeps what it compiles: the next command then starts in half the CPU time.
const env = {
  NODE_COMPILE_CACHE: join(packages, ".cache/gasworks/compiled"),
  ...process.env,
  PATH: [dirname(node), process.env.PATH].join(delimiter),
};
const child = spawn(node, command, { stdio: "inherit", env });

child.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on("exit", (code) => process.exit(code ?? 1));

// A terminal's Ctrl-C reaches both; the child decides how to end, and this ends with it.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));

// A SIGKILL of npm reaches nobody else: then this process has a new parent.
const { ppid } = process;
setInterval(() => {
  if (process.ppid !== ppid) child.kill("SIGTERM");
}, PARENT_POLL_MS).unref();
