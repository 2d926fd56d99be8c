import type { CreateLinkOptions, DriveLink, EntryLike } from "@keeplight/drive";
import { useDriveCall, useDriveList } from "./drive-provider.ts";
import type { Selected } from "./selection.ts";

/** What {@link useLinks} returns. The functions keep their identity. */
export interface UseLinks {
  /** The account's links that were not ended, those that were created last first: the same list until it changes. */
  state: Selected<readonly DriveLink[]>;
  /** Creates a link to a file. @throws what `drive.createLink` throws; `UNSUPPORTED` while the drive is not open */
  create(file: EntryLike, options: CreateLinkOptions): Promise<DriveLink>;
  /** Ends a link. @throws what `drive.endLink` throws; `UNSUPPORTED` while the drive is not open */
  end(link: DriveLink | string): Promise<void>;
}

/**
 * Lists the links by which the account shares files, on all of its devices. Renders only if the list has changed.
 *
 * @throws `UNSUPPORTED` outside a {@link DriveProvider}
 *
 * @example
 * const { state, end } = useLinks();
 * if (state.status === "ready") return state.value.map((link) => <li key={link.id}>{link.name}</li>);
 */
export function useLinks(): UseLinks {
  const state = useDriveList((drive) => drive.listLinks());
  return { state, create: useDriveCall("createLink"), end: useDriveCall("endLink") };
}
