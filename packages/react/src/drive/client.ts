"use client";

// The entry for server components, as ../client.ts.
export { DriveProvider, useAdd, useDrive, useDriveList, useFolder, useInbox, useLinks, useSession } from "./index.ts";
