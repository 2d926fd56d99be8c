// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env, getuid, platform } from "node:process";

/** Flags that keep a headless Chromium quiet, offline and able to run as root. */
export const chromiumArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What to do where no Chromium was found. */
export const chromiumHint =
  "No Chromium or Chrome found, so nothing can be tested in a browser. Install one " +
  "(Debian: apt-get install chromium; elsewhere: Google Chrome, or npx playwright install chromium), " +
  "or set CHROMIUM_PATH to its executable.";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** @returns {string[]} paths where an installed browser is usually found on this system */
function usualPaths() {
  const fromPath = (env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  if (platform === "darwin") {
    const apps = ["Google Chrome", "Chromium"].map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`);
    return [...apps, ...fromPath];
  }
  if (platform === "win32") {
    return ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((name) =>
      ["Google/Chrome", "Chromium"].map((app) => join(env[name] ?? "C:/", app, "Application/chrome.exe")),
    );
  }
  return [...fromPath, ...names.map((name) => `/usr/bin/${name}`), "/snap/bin/chromium"];
}

/**
 * Finds a Chromium: `CHROMIUM_PATH`, then the usual places, then the one playwright downloaded.
 *
 * @returns {Promise<string | undefined>} the path of its executable, or undefined where there is none
 * @throws Error if `CHROMIUM_PATH` is set and names no file
 */
export async function findChromium() {
  const chosen = env["CHROMIUM_PATH"];
  if (chosen) {
    if (existsSync(chosen)) return chosen;
    throw new Error(`CHROMIUM_PATH names no file: ${chosen}`);
  }
  const installed = usualPaths().find((path) => existsSync(path));
  if (installed) return installed;
  const { chromium } = await import("playwright");
  const downloaded = chromium.executablePath();
  return existsSync(downloaded) ? downloaded : undefined;
}

/**
 * {@link findChromium}, and where there is none but this is Debian and we are root (a bare CI
 * container), installs the distribution's own.
 *
 * @returns {Promise<string | undefined>} as findChromium
 */
export async function ensureChromium() {
  const found = await findChromium();
  if (found || getuid?.() !== 0 || !existsSync("/etc/debian_version")) return found;
  // Ubuntu's package only points to a snap, which does not run in containers.
  if (/^ID=ubuntu$/m.test(readFileSync("/etc/os-release", "utf8"))) return undefined;
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const { status } = spawnSync("apt-get", ["-q", ...args], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
    });
    if (status !== 0) return undefined;
  }
  return findChromium();
}
