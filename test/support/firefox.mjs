// @ts-check
import { delimiter, join } from "node:path";
import { env, platform } from "node:process";
import { installDebianPackages, isExecutableFile } from "./browser-programs.mjs";

const names = ["firefox-esr", "firefox"];

/** @returns {string[]} the paths where Firefox is usually installed on this system */
function usualPaths() {
  const fromPath = (env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  if (platform === "darwin") return ["/Applications/Firefox.app/Contents/MacOS/firefox", ...fromPath];
  if (platform === "win32") {
    return ["PROGRAMFILES", "PROGRAMFILES(X86)"].map((name) => join(env[name] ?? "C:/", "Mozilla Firefox/firefox.exe"));
  }
  return [...fromPath, ...names.map((name) => `/usr/bin/${name}`)];
}

/**
 * Finds Mozilla's or Debian's Firefox: only `FIREFOX_PATH` if that is set. Not the one that Playwright downloads, which is
 * patched and speaks a protocol of its own.
 *
 * @returns {string | undefined} the path of its executable
 */
export function findFirefox() {
  const chosen = env["FIREFOX_PATH"];
  if (chosen) return isExecutableFile(chosen) ? chosen : undefined;
  return usualPaths().find(isExecutableFile);
}

/** Why {@link findFirefox} found none, and what to do about it. */
export function firefoxHint() {
  const chosen = env["FIREFOX_PATH"];
  if (chosen) return `FIREFOX_PATH does not name an executable file: ${chosen}`;
  return (
    "No Firefox found, so nothing is tested in it. Install it (Debian: apt-get install firefox-esr), " +
    "or set FIREFOX_PATH to its executable."
  );
}

/** Whether a missing Firefox is a failure: in CI, and if `FIREFOX_PATH` is set. */
export function firefoxRequired() {
  return Boolean(env["CI"] || env["FIREFOX_PATH"]);
}

/**
 * {@link findFirefox}; if there is none, installs Debian's package, as root on Debian only (a bare container).
 *
 * @returns {string | undefined} same as findFirefox
 */
export function ensureFirefox() {
  const found = findFirefox();
  if (found || env["FIREFOX_PATH"]) return found;
  installDebianPackages(["firefox-esr"]);
  return findFirefox();
}
