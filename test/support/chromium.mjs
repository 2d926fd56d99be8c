// @ts-check
import { delimiter, join } from "node:path";
import { env, platform } from "node:process";
import { installDebianPackages, isExecutableFile } from "./browser-programs.mjs";

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

/** The first has no window to draw for, and takes two thirds of the others' processor time. */
const shell = "chromium-headless-shell";
const names = [shell, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** @returns {string[]} the paths where browsers are usually installed on this system */
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
 * Finds a Chromium: only `CHROMIUM_PATH` if that is set; otherwise one in the usual places, then the one that
 * Playwright downloaded.
 *
 * @returns {Promise<string | undefined>} the path of its executable, or undefined if there is none
 */
export async function findChromium() {
  const chosen = env["CHROMIUM_PATH"];
  if (chosen) return isExecutableFile(chosen) ? chosen : undefined;
  const installed = usualPaths().find(isExecutableFile);
  if (installed) return installed;
  const { chromium } = await import("playwright");
  const downloaded = chromium.executablePath();
  return isExecutableFile(downloaded) ? downloaded : undefined;
}

/** Why {@link findChromium} found none, and what to do about it. */
export function chromiumHint() {
  const chosen = env["CHROMIUM_PATH"];
  if (chosen) return `CHROMIUM_PATH does not name an executable file: ${chosen}`;
  return (
    "No Chromium or Chrome found, so nothing can be tested in a browser. Install one " +
    "(Debian: apt-get install chromium; elsewhere: Google Chrome, or npx playwright install chromium), " +
    "or set CHROMIUM_PATH to its executable."
  );
}

let warned = false;

/** {@link findChromium} for callers that skip tests without it: prints the hint, once, if there is none. */
export async function findChromiumOrWarn() {
  const found = await findChromium();
  if (!found && !warned) console.warn(chromiumHint());
  warned = true;
  return found;
}

/** Whether a missing Chromium is a failure: in CI, and if `CHROMIUM_PATH` is set. */
export function chromiumRequired() {
  return Boolean(env["CI"] || env["CHROMIUM_PATH"]);
}

/**
 * {@link findChromium}; if there is none, or in CI another than {@link shell}, installs Debian's package, as root on
 * Debian only (a bare container).
 *
 * @returns {Promise<string | undefined>} same as findChromium
 */
export async function ensureChromium() {
  const found = await findChromium();
  if (found && (!env["CI"] || found.endsWith(shell))) return found;
  if (env["CHROMIUM_PATH"]) return found;
  // Older releases of Debian lack the first.
  installDebianPackages(found ? [shell] : [shell, "chromium"]);
  return findChromium();
}
