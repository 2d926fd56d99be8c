import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuilt } from "../../../scripts/build-stamp.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the path of the built command line; throws if a build would change it. */
export function getBuiltCli(): string {
  // The test script has built what it packed.
  if (process.env["KEEPLIGHT_TARBALLS"] || isBuilt(root)) return join(root, "packages/cli/bin.js");
  throw new Error("These tests run the built command line, and dist is not what a build would write: npm run build");
}
