import type { Contact, ContactOptions } from "@keeplight/drive";
import { useDriveCall, useDriveList } from "./drive-provider.ts";
import type { Selected } from "./selection.ts";

/** What {@link useContacts} returns. The functions keep their identity. */
export interface UseContacts {
  /** The addresses that the account has named, by name: the same list until it changes. */
  state: Selected<readonly Contact[]>;
  /** Names an address. @throws what `drive.setContact` throws; `UNSUPPORTED` while the drive is not open */
  set(address: string, options: ContactOptions): Promise<Contact>;
  /** Removes a contact. @throws what `drive.removeContact` throws; `UNSUPPORTED` while the drive is not open */
  remove(contact: Contact | string): Promise<void>;
}

/**
 * Lists the names that the account has given to addresses, on all of its devices. Renders only if the list has changed.
 *
 * @throws `UNSUPPORTED` outside a {@link DriveProvider}
 *
 * @example
 * const { state, set } = useContacts();
 * if (state.status === "ready") return state.value.map(({ address, name }) => <li key={address}>{name} {address}</li>);
 */
export function useContacts(): UseContacts {
  const state = useDriveList((drive) => drive.listContacts());
  return { state, set: useDriveCall("setContact"), remove: useDriveCall("removeContact") };
}
