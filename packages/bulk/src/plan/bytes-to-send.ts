import { encryptedSize } from "keeplight/parts";
import type { BulkPlan } from "./types.ts";

/** Returns the bytes of a plan's files as they are sent, which is what storing them is billed by. */
export function countBytesToSend({ files, bytes, encrypted }: Pick<BulkPlan, "files" | "bytes" | "encrypted">): number {
  return encrypted ? bytes + files * encryptedSize(0) : bytes;
}
