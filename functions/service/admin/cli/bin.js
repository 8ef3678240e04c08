#!/usr/bin/env node
// Link this file into a folder of PATH to call the command line without npm. Plain JavaScript, because it runs on any
// Node: the file that it imports starts a new enough one.

import { fileURLToPath } from "node:url";

process.argv.splice(2, 0, fileURLToPath(new URL("main.ts", import.meta.url)));
await import("../../../../shared/cli/with-node.js");
