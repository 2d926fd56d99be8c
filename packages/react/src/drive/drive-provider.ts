import type { Drive, DriveStatus } from "@keeplight/drive";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useInsertionEffect,
} from "react";
import { driveNotOpen, missingDriveProvider } from "../errors.ts";
import { useProvided } from "../kit-provider.ts";
import { useLifetime, useOwned, useStoreState } from "../store.ts";
import { initialState, type Loaded, type LoadState } from "../use-load.ts";
import { createDriveManager, type DriveManager } from "./drive-manager.ts";
import { createSelection, isSameList, type Selected } from "./selection.ts";

const DriveContext = createContext<DriveManager | undefined>(undefined);

/** Properties of {@link DriveProvider}. */
export interface DriveProviderProps {
  /** The components that use the drive. Default none. */
  children?: ReactNode;
}

/**
 * Opens the drive of the account of the nearest `KitProvider`, which needs an `apiKey`, a `signer` and a `journal`, for the
 * components below. Another account, or another kit, has a drive of its own: no component sees the one before. Unmounting
 * stores what is not stored, and closes the drive.
 *
 * @example
 * <KitProvider options={state.options}>
 *   <DriveProvider>
 *     <Files />
 *   </DriveProvider>
 * </KitProvider>
 */
export function DriveProvider({ children }: DriveProviderProps): ReactElement {
  const { bound } = useProvided();
  const manager = useOwned(() => createDriveManager(bound), bound);
  useInsertionEffect(() => {
    bound.drive = manager;
  }, [bound, manager]);
  useLifetime(manager);
  useEffect(() => manager.start(), [manager]);
  return createElement(DriveContext.Provider, { value: manager }, children);
}

/** What {@link useDrive} returns. */
export interface UseDrive extends Loaded<Drive> {
  /**
   * Whether all changes are stored, what failed, and what services did; `undefined` until the drive is open. The same object
   * until that changes.
   */
  status: DriveStatus | undefined;
  /** Opens the drive again if that has failed; otherwise reads what other devices changed. */
  reload(): Promise<void>;
}

/**
 * The drive of the nearest {@link DriveProvider}. Its calls may throw, as they are those of `openDrive`. Renders when the drive
 * is opened and when its status changes; what is in it is followed by {@link useFolder}.
 *
 * @throws `UNSUPPORTED` outside a {@link DriveProvider}
 *
 * @example
 * const { state, status } = useDrive();
 * if (state.status === "failed") return <p>{state.error.message}</p>;
 * return <button onClick={() => state.value?.createFolder("Letters")}>{status?.unsaved ? "Saving …" : "New folder"}</button>;
 */
export function useDrive(): UseDrive {
  const { subscribe, load, reload } = useDriveManager();
  const state = useStoreState<LoadState<Drive>>({ subscribe, state: load }, initialState);
  const status = useSelected((drive) => drive.status(), isSameStatus);
  return { state, reload, status: status.status === "ready" ? status.value : undefined };
}

/**
 * What `read` returns of the drive: the same value until it is another one by `isSame`, however often the drive changes.
 *
 * @param read - the first one for each `key`
 */
export function useSelected<Value>(
  read: (drive: Drive) => Value,
  isSame: (one: Value, other: Value) => boolean,
  key?: unknown,
): Selected<Value> {
  const manager = useDriveManager();
  const selection = useOwned(() => createSelection(manager, read, isSame), manager, key);
  return useStoreState<Selected<Value>>(selection, initialState);
}

/**
 * Reads a list of the drive, and follows what this device and others change. Renders only if the list has changed.
 *
 * @param read - returns the list; it is called after each change, so it should be fast
 * @param key - what `read` depends on besides the drive. Default nothing
 * @throws `UNSUPPORTED` outside a {@link DriveProvider}
 *
 * @example
 * const state = useDriveList((drive) => drive.search(text), text);
 * if (state.status === "ready") return state.value.map(({ id, path }) => <li key={id}>{path}</li>);
 */
export function useDriveList<Item>(read: (drive: Drive) => readonly Item[], key?: string): Selected<readonly Item[]> {
  return useSelected(read, isSameList, key);
}

/** What a user does with a list of the drive. */
type ListCall = "setContact" | "removeContact" | "receive" | "removeReceived" | "createLink" | "endLink";

/** Returns a call of the drive. It keeps its identity, and rejects while no drive is open. */
export function useDriveCall<Name extends ListCall>(name: Name): Drive[Name] {
  const manager = useDriveManager();
  const call = useCallback(
    async (...given: unknown[]) => {
      const { value: drive } = manager.load();
      if (!drive) throw driveNotOpen();
      return Reflect.apply(drive[name], drive, given);
    },
    [manager, name],
  );
  return call as Drive[Name];
}

function useDriveManager(): DriveManager {
  const manager = useContext(DriveContext);
  if (!manager) throw missingDriveProvider();
  return manager;
}

function isSameStatus(one: DriveStatus, other: DriveStatus): boolean {
  return one.unsaved === other.unsaved && one.error === other.error && isSameList(one.problems, other.problems);
}
