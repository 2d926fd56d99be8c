import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

/** Returns the tarball of this checkout, in `folder`: the one that the test script packed, or a new one. */
export async function packageTarball(folder: string): Promise<string> {
  const tarball = join(folder, "keeplight.tgz");
  const packed = process.env["KEEPLIGHT_TARBALL"];
  if (packed) {
    await cp(packed, tarball);
    return tarball;
  }
  await execute(process.execPath, ["scripts/build.mjs"], { cwd: root });
  await execute("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
  return join(folder, `keeplight-${packageJson.version}.tgz`);
}
