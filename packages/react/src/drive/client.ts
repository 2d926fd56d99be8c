"use client";

// The entry for server components, as ../client.ts.
export {
  DriveProvider,
  useAdd,
  useContacts,
  useDrive,
  useDriveList,
  useFolder,
  useInbox,
  useLinks,
  useSession,
} from "./index.ts";
