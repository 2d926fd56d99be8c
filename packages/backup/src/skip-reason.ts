import { platform } from "node:process";
import type { Entry, LinkEntry } from "./entries.ts";

/** Why an entry is not restored: this system has no such names, or it leads out of the folder. */
export type SkipReason = "name" | "link";

/** Returns why an entry is not restored here; `undefined` if it is. */
export function findSkipReason(entry: Entry, hasOutsideLinks: boolean): SkipReason | undefined {
  if (platform === "win32" && entry.path.split("/").some((name) => isBadOnWindows(name))) return "name";
  return entry.kind === "link" && !hasOutsideLinks && leadsOut(entry) ? "link" : undefined;
}

/** Whether Windows has no such name, or another meaning for it. */
function isBadOnWindows(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows refuses them
  return /[\u0000-\u001f<>:"|?*\\]|[. ]$|^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|$)/i.test(name);
}

/**
 * Whether a link may lead out of the folder. After its first name a target has no `..`: that name may be a link, whose parent
 * folder nobody knows.
 */
function leadsOut({ path, target }: LinkEntry): boolean {
  if (/^([/\\]|[a-z]:)/i.test(target)) return true;
  const names = target.split(/[/\\]/).filter((name) => name !== "" && name !== ".");
  const up = names.findIndex((name) => name !== "..");
  const ups = up === -1 ? names.length : up;
  return ups > path.split("/").length - 1 || names.slice(ups).includes("..");
}
