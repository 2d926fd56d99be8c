// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { env, getuid } from "node:process";

/** @param {string} command @param {string[]} args */
function succeeds(command, args) {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** @typedef {{ package: string, isThere: () => boolean }} Tool how to find out whether a program is there, and Debian's package of it */

/** @type {Tool[]} the programs that open a recovery kit */
const recoveryTools = [
  { package: "age", isThere: () => succeeds("age", ["--version"]) },
  { package: "python3", isThere: () => succeeds("python3", ["--version"]) },
  { package: "python3-cryptography", isThere: () => succeeds("python3", ["-c", "import cryptography"]) },
];

/** @type {Tool[]} the shells that have completions, and what runs them in a terminal */
const shells = [
  { package: "bash", isThere: () => succeeds("bash", ["--version"]) },
  { package: "zsh", isThere: () => succeeds("zsh", ["--version"]) },
  { package: "fish", isThere: () => succeeds("fish", ["--version"]) },
  { package: "python3", isThere: () => succeeds("python3", ["-c", "import pty"]) },
];

/** @type {Tool[]} WebKitGTK with its driver, and the display that it needs */
const webKit = [
  { package: "webkit2gtk-driver", isThere: () => succeeds("WebKitWebDriver", ["--help"]) },
  { package: "xvfb", isThere: () => succeeds("sh", ["-c", "command -v Xvfb"]) },
];

/**
 * Checks that programs are installed; installs Debian's packages as root (a bare CI container).
 *
 * @param {readonly Tool[]} tools
 * @param {string} purpose
 * @throws if any is missing, with what to install
 */
function ensure(tools, purpose) {
  const missing = () => tools.filter(({ isThere }) => !isThere()).map((tool) => tool.package);
  if (missing().length > 0 && getuid?.() === 0 && existsSync("/etc/debian_version")) {
    for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...missing()]]) {
      spawnSync("apt-get", ["-q", ...args], { stdio: "ignore", env: { ...env, DEBIAN_FRONTEND: "noninteractive" } });
    }
  }
  if (missing().length === 0) return;
  throw new Error(`These tests run ${purpose}. Please install ${missing().join(", ")} (Debian's names).`);
}

export const ensureRecoveryTools = () => ensure(recoveryTools, "age and Python");

export const ensureShells = () => ensure(shells, "completions in shells");

export const ensureWebKit = () => ensure(webKit, "WebKitGTK");
