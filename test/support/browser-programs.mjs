// @ts-check
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { env, getuid } from "node:process";

/** @param {string} path */
export function isExecutableFile(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether browsers may be installed here: as root on Debian only (a bare container). */
function mayInstallBrowsers() {
  if (getuid?.() !== 0 || !existsSync("/etc/debian_version")) return false;
  // Ubuntu's packages only point to a snap, which does not run in containers.
  return !/^ID=ubuntu$/m.test(readFileSync("/etc/os-release", "utf8"));
}

/**
 * Installs the first of these packages that Debian's release has, where {@link mayInstallBrowsers}.
 *
 * @param {readonly string[]} packages
 */
export function installDebianPackages(packages) {
  if (!mayInstallBrowsers() || !runApt(["update"])) return;
  packages.some((name) => runApt(["install", "-y", "--no-install-recommends", name]));
}

/** @param {readonly string[]} args */
function runApt(args) {
  // Without a network the run goes on with what there is.
  const { status } = spawnSync("apt-get", ["-q", "-o", "Acquire::http::Timeout=30", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return status === 0;
}
