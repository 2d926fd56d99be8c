import { isKeeplightError } from "../../base/errors/base.ts";
import type { CallOptions } from "../../base/options.ts";
import { getFileInfo } from "./info.ts";

/** Whether the network lists something as stored: a file or a folder that was uploaded, not what a folder contains. */
export async function isKnown(cid: string, call: CallOptions): Promise<boolean> {
  try {
    await getFileInfo(cid, call);
    return true;
  } catch (error) {
    if (isKeeplightError(error, "HTTP_STATUS") && error.details.status === 404) return false;
    throw error;
  }
}
