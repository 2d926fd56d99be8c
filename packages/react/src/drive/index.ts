export { DriveProvider, type DriveProviderProps, type UseDrive, useDrive, useDriveList } from "./drive-provider.ts";
export type { Selected } from "./selection.ts";
export type { SessionSignInOptions, SessionSignOutOptions, SessionView } from "./session-store.ts";
export { type UseAddOptions, useAdd } from "./use-add.ts";
export { type UseContacts, useContacts } from "./use-contacts.ts";
export { type FolderState, type UseFolder, useFolder } from "./use-folder.ts";
export { type UseInbox, useInbox } from "./use-inbox.ts";
export { type UseLinks, useLinks } from "./use-links.ts";
export { type UseSession, type UseSessionOptions, useSession } from "./use-session.ts";
