import { invalidOption } from "keeplight/parts";
import { isInside } from "./own-folders.ts";
import type { BulkPlan } from "./types.ts";

/**
 * Throws `INVALID_OPTION` for a folder of a plan or a ledger that is inside the folder whose files are sent: another plan would
 * send what is in it, such as the key of a journal. A manifest names each file itself.
 *
 * @param option - that the folder was passed as
 */
export async function refuseInside(
  option: string,
  folder: string,
  listed: Pick<BulkPlan, "place" | "root">,
): Promise<void> {
  const { place, root } = listed;
  if (root === undefined || root !== place || !(await isInside(folder, root))) return;
  throw invalidOption(option, `a folder outside of ${root}, whose files are sent (${folder} is inside: move it out)`);
}
