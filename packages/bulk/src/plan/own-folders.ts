import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Check, invalidOption } from "keeplight/parts";
import type { BulkPlan } from "./plan.ts";

/** The path of a folder, made absolute. */
export const folderPath: Check<string> = (folder, name) => {
  if (typeof folder !== "string" || folder === "") throw invalidOption(name, "the path of a folder");
  return resolve(folder);
};

/** Whether a folder, which need not exist yet, is another one or inside it, whatever links lead to them. */
async function isInside(folder: string, outer: string): Promise<boolean> {
  const place = await identify(outer);
  if (place === undefined) return false;
  for (let path = await toRealPath(folder); ; path = dirname(path)) {
    if ((await identify(path)) === place) return true;
    if (dirname(path) === path) return false;
  }
}

async function identify(path: string): Promise<string | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  return facts && `${facts.dev}:${facts.ino}`;
}

/** Resolves the links of a path whose end need not exist. */
async function toRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await toRealPath(parent), basename(path));
  }
}

/**
 * Throws `INVALID_OPTION` for a folder of a plan or a ledger that is inside the folder whose files are sent: another plan would
 * send what is in it, such as the key of a journal. A manifest names each file itself.
 *
 * @param option - that the folder was passed as
 */
export async function refuseInside(option: string, folder: string, { place, root }: Pick<BulkPlan, "place" | "root">) {
  if (root === undefined || root !== place || !(await isInside(folder, root))) return;
  throw invalidOption(option, `a folder outside of ${root}, whose files are sent (${folder} is inside: move it out)`);
}
