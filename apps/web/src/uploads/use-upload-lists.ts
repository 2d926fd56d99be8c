import { useUpload, useUploadEncrypted } from "@keeplight/react";
import { useAdd } from "@keeplight/react/drive";

/** The lists of uploads: to the drive, encrypted without it, and public. */
export const listNames = ["added", "encrypted", "open"] as const;
export type ListName = (typeof listNames)[number];

/** All lists, as they are now. Renders at their progress if it is read. */
export function useUploadLists() {
  return { added: useAdd(), encrypted: useUploadEncrypted(), open: useUpload() };
}
