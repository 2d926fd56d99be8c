import { type AddedFile, type AddOptions, type Drive, type DriveOptions, openDrive } from "@keeplight/drive";
import type { Source, UploadedFiles } from "keeplight";
import { bearerSchema, ownerCallSchema, pickOptions } from "keeplight/parts";
import type { BoundKit } from "../bound-kit.ts";
import { driveNotOpen, toError, toOpeningError } from "../errors.ts";
import { coalesce } from "../open-operations.ts";
import { createStore } from "../store.ts";
import { initialState, type LoadState } from "../use-load.ts";

/** The drive as it was at one moment: a new object after each change of it. */
export interface DriveMoment {
  load: LoadState<Drive>;
}

export type DriveManager = ReturnType<typeof createDriveManager>;

const initialMoment: DriveMoment = { load: initialState };

/** What the drive takes of a kit's options. */
const schema = { ...bearerSchema, ...ownerCallSchema };

/** The drive of one kit's account. Lives outside React, so that no late drive reaches a component. */
export function createDriveManager({ resumeDefaults, journal }: BoundKit) {
  const options = { ...pickOptions(resumeDefaults, schema), journal } as unknown as DriveOptions;
  let opening: Promise<Drive> | undefined;
  let unsubscribe: (() => void) | undefined;
  let isStarted = false;
  const store = createStore(initialMoment, {
    onClose() {
      unsubscribe?.();
      if (opening !== undefined) closeDrive(journal?.place, opening);
      opening = undefined;
      isStarted = false;
    },
  });
  const { isOpen } = store;

  const show = (load: LoadState<Drive>) => store.setState({ load });

  async function open(): Promise<Drive> {
    await Promise.race([closings.get(journal?.place), new Promise((resolve) => setTimeout(resolve, CLOSING_MS))]);
    if (!isOpen()) throw new Error("Nobody shows the drive any more");
    return openDrive(options);
  }

  /** Opens the drive; or reads what other devices changed, if it is open. */
  async function load(): Promise<void> {
    if (!isOpen()) return;
    const { status, value: known } = store.state().load;
    const previous = known && { value: known };
    if (status !== "loading") show({ status: "loading", ...previous });
    opening ??= open();
    const own = opening;
    try {
      const drive = await own;
      if (known) await drive.sync();
      if (opening !== own) return;
      if (!known) unsubscribe = drive.subscribe(() => show(store.state().load));
      show({ status: "ready", value: drive });
    } catch (error) {
      if (opening !== own) return;
      if (!known) opening = undefined;
      show({ status: "failed", error: toError(error), ...previous });
    }
  }

  const reload = coalesce(load);

  /** Returns the drive once it is open. Throws `DRIVE_NOT_OPEN`, and as it is what also is true of an upload: no network. */
  async function whenOpen(): Promise<Drive> {
    if (!store.state().load.value) await reload();
    const { load } = store.state();
    if (load.status === "failed" && !load.value) throw toOpeningError(load.error);
    if (!load.value) throw driveNotOpen();
    return load.value;
  }

  /** Adds files, once the drive is open. */
  async function add(source: Source, options: AddOptions): Promise<UploadedFiles> {
    return toUploadedFiles(await (await whenOpen()).add(source, options));
  }

  return {
    add,
    whenOpen,
    ...store,
    /** The same object until the drive is opened, read or has failed. */
    load: (): LoadState<Drive> => store.state().load,
    /** Opens the drive, unless that was done. */
    start(): void {
      if (isStarted) return;
      isStarted = true;
      void reload();
    },
    reload,
  };
}

/** What was added, as an upload returns it. */
export function toUploadedFiles(files: readonly AddedFile[]): UploadedFiles {
  return files.map(({ path, cid, size, nodesMissing, receipt }) => ({
    Name: path,
    Hash: cid,
    Size: String(size),
    ...(nodesMissing && { nodesMissing: [...nodesMissing] }),
    ...(receipt && { receipt }),
  })) as unknown as UploadedFiles;
}

/** How long another drive waits for one that is being closed, in milliseconds: what it stores may not be responded to. */
const CLOSING_MS = 5_000;

/**
 * Drives of this page that are being closed, by their journals. Another one is opened after that: it would not list what they
 * have not stored yet.
 */
const closings = new Map<string | undefined, Promise<unknown>>();

function closeDrive(place: string | undefined, opening: Promise<Drive>): void {
  // What cannot be stored now is stored when the drive is opened again.
  const closing = Promise.allSettled([closings.get(place), opening.then((drive) => drive.close())]).then(() => {
    if (closings.get(place) === closing) closings.delete(place);
  });
  closings.set(place, closing);
}
