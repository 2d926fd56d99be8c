// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { env, getuid } from "node:process";

/** @param {string} command @param {string[]} args */
function succeeds(command, args) {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** The programs that open a recovery kit, how to find out whether they are there, and Debian's package of each. */
const tools = [
  { package: "age", isThere: () => succeeds("age", ["--version"]) },
  { package: "python3", isThere: () => succeeds("python3", ["--version"]) },
  { package: "python3-cryptography", isThere: () => succeeds("python3", ["-c", "import cryptography"]) },
];

const missing = () => tools.filter(({ isThere }) => !isThere()).map((tool) => tool.package);

/**
 * Checks that age and Python are installed; installs Debian's packages as root (a bare CI container).
 *
 * @throws if any is missing, with what to install
 */
export function ensureRecoveryTools() {
  if (missing().length > 0 && getuid?.() === 0 && existsSync("/etc/debian_version")) {
    for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...missing()]]) {
      spawnSync("apt-get", ["-q", ...args], { stdio: "ignore", env: { ...env, DEBIAN_FRONTEND: "noninteractive" } });
    }
  }
  if (missing().length === 0) return;
  throw new Error(`These tests run age and Python. Please install ${missing().join(", ")} (Debian's names).`);
}
