"use client";

// The entry for server components, as ../client.ts.
export { DriveProvider, useDrive, useFolder, useInbox, useLinks, useSession } from "./index.ts";
