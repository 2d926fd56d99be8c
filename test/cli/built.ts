import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns the path of the built command line; throws if the sources have changed since it was built. */
export function getBuiltCli(): string {
  const path = join(root, "dist/cli/main.js");
  const builtAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const newest = Math.max(...sources.map((name) => statSync(join(root, "src", name)).mtimeMs));
  // The test script has built what it packed.
  if (process.env["KEEPLIGHT_TARBALL"] || builtAt >= newest) return path;
  throw new Error("These tests run the built command line, and dist is older than src: npm run build");
}
