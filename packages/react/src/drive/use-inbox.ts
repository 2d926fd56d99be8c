import type { ReceivedFile } from "@keeplight/drive";
import { useDriveCall, useDriveList } from "./drive-provider.ts";
import type { Selected } from "./selection.ts";

/** What {@link useInbox} returns. The functions keep their identity. */
export interface UseInbox {
  /** The files that others share with the account, those that were received last first: the same list until it changes. */
  state: Selected<readonly ReceivedFile[]>;
  /**
   * Keeps the files of a share link or a message, as `drive.receive` does. Show the account's user first what it is about to keep.
   *
   * @throws what `drive.receive` throws; `UNSUPPORTED` while the drive is not open
   */
  receive(message: string): Promise<ReceivedFile[]>;
  /** Removes a file from the list. @throws what `drive.removeReceived` throws; `UNSUPPORTED` while the drive is not open */
  remove(file: ReceivedFile | string): Promise<void>;
}

/**
 * Lists what others share with the account, on all of its devices. Renders only if the list has changed.
 *
 * @throws `UNSUPPORTED` outside a {@link DriveProvider}
 *
 * @example
 * const { state, receive } = useInbox();
 * if (state.status === "ready") return state.value.map(({ id, name, from }) => <li key={id}>{name} {from}</li>);
 */
export function useInbox(): UseInbox {
  const state = useDriveList((drive) => drive.listReceived());
  return { state, receive: useDriveCall("receive"), remove: useDriveCall("removeReceived") };
}
