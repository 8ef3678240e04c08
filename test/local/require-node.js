// Plain JavaScript, because it must run on the Node versions that it turns away. On Linux the lock file brings a Node
// of its own and npm scripts use that; elsewhere the user's own must be new enough for wrangler.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(
    `Gasworks needs Node 22.12 or newer here, and this is ${process.version}.\n` +
      "Install a newer one from https://nodejs.org. On Linux, npm ci brings it: run it without --omit=optional.",
  );
  process.exit(1);
}
