import { BasePlugin, type Body, EventManager, type Meta, type Uppy, type UppyFile } from "@uppy/core";
import { isKeeplightError, KeeplightError } from "keeplight";
import { type CompletedFile, completeSent } from "./complete-sent.ts";
import { type Control, createControl, createSlots } from "./control.ts";
import type { UploadFile } from "./entry.ts";
import { type KeeplightUploaderOptions, pickUploaderOptions, resolveUploader } from "./options.ts";
import { discardFile, uploadFile } from "./upload-file.ts";

/** What Uppy's `upload-success` has as the `body` of its response. */
export interface KeeplightUploaderBody extends Body {
  /** Content id that the file is stored under. */
  cid: string;
  /** Name that it is stored under. */
  name: string;
  /** Size of the file as it was picked, in bytes. */
  size: number;
}

declare module "@uppy/core" {
  interface PluginTypeRegistry<M extends Meta, B extends Body> {
    KeeplightUploader: KeeplightUploader<M, B>;
  }
}

/**
 * Uploads the files of an Uppy to a handler of one's own server (`createResumableHandler` of `@keeplight/server`): encrypts them in
 * the page, and saves their keys on the key nodes. An upload that a crash or a reload has interrupted continues where it
 * stopped once the same file is added again, by its user or by `@uppy/golden-retriever`.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const journal = await openJournal({ name: "uploads" });
 * const uppy = new Uppy<Meta, KeeplightUploaderBody>();
 * uppy.use(KeeplightUploader, { endpoint: "/api/uploads", signer, journal });
 * uppy.on("upload-success", (file, { body }) => console.log(file?.name, body?.cid));
 */
export class KeeplightUploader<M extends Meta, B extends Body> extends BasePlugin<KeeplightUploaderOptions, M, B> {
  #options;
  readonly #slots;
  /** The files that are being uploaded, or removed, by their ids. */
  readonly #running = new Map<string, { control: Control; over: Promise<void> }>();

  constructor(uppy: Uppy<M, B>, options: KeeplightUploaderOptions) {
    super(uppy, options);
    this.#options = resolveUploader(options);
    this.#slots = createSlots(this.#options.limit);
    this.type = "uploader";
    this.id = options.id ?? "KeeplightUploader";
  }

  /**
   * Changes options, for what is uploaded from now on; except `limit`, which stays.
   *
   * @throws `INVALID_OPTION`
   */
  override setOptions(changes: Partial<KeeplightUploaderOptions>): void {
    // Uppy passes on its own options, too.
    const own = pickUploaderOptions(changes);
    this.#options = resolveUploader({ ...this.opts, ...own });
    super.setOptions(own);
  }

  override install(): void {
    this.#setResumable(true);
    this.uppy.addUploader(this.#uploadFiles);
    this.uppy.on("file-removed", this.#discardIdle);
  }

  override uninstall(): void {
    this.#setResumable(false);
    this.uppy.removeUploader(this.#uploadFiles);
    this.uppy.off("file-removed", this.#discardIdle);
  }

  /**
   * Saves the keys of files that earlier pages had sent whole when they ended. Requires none of the files: adding them again
   * does the same. Without that, nobody could open these files, though they are stored.
   *
   * @returns the files that are complete now, and why others are not
   * @throws what the signer throws
   */
  async completeSent(): Promise<CompletedFile[]> {
    const control = createControl(this.#slots);
    return completeSent(this.#options, control).finally(control.end);
  }

  #setResumable(resumableUploads: boolean): void {
    const { capabilities } = this.uppy.getState();
    this.uppy.setState({ capabilities: { ...capabilities, resumableUploads } });
  }

  #uploadFiles = async (ids: string[]): Promise<void> => {
    const files = this.uppy.getFilesByIds(ids).filter(({ error, progress }) => !error && !progress.uploadComplete);
    const started = files.filter(({ progress, isRestored }) => !progress.uploadStarted || !isRestored);
    this.uppy.emit("upload-start", started);
    await Promise.all(files.map((file) => this.#startFile(file)));
  };

  /** Uploads a file, unless that is being done; never fails. */
  #startFile(file: UppyFile<M, B>): Promise<void> {
    const before = this.#running.get(file.id);
    if (before && !before.control.isCancelled()) return before.over;
    const control = createControl(this.#slots);
    const events = this.#listen(file, control);
    const start = async () => {
      // What was cancelled is removed before the same file is uploaded again.
      await before?.over;
      await this.#uploadFile(file, control);
      control.end();
      events.remove();
      if (this.#running.get(file.id) === running) this.#running.delete(file.id);
    };
    const running = { control, over: Promise.resolve().then(start) };
    this.#running.set(file.id, running);
    return running.over;
  }

  async #uploadFile(file: UppyFile<M, B>, control: Control): Promise<void> {
    const { id } = file;
    const report = (bytesUploaded: number, bytesTotal: number) => {
      const uploadStarted = this.uppy.getFile(id)?.progress.uploadStarted ?? Date.now();
      this.uppy.emit("upload-progress", this.uppy.getFile(id), { uploadStarted, bytesUploaded, bytesTotal });
    };
    try {
      const { url, ...body } = await uploadFile(toUploadFile(file), this.#options, control, report);
      const response = { status: 200, uploadURL: url, body: body as Body as B };
      this.uppy.emit("upload-success", this.uppy.getFile(id), response);
    } catch (error) {
      if (!control.isCancelled()) this.uppy.emit("upload-error", this.uppy.getFile(id) ?? file, toUppyError(error));
    }
  }

  #listen({ id, isPaused }: UppyFile<M, B>, control: Control): EventManager<M, B> {
    const events = new EventManager(this.uppy);
    events.onFileRemove(id, control.cancel);
    events.onCancelAll(id, control.cancel);
    events.onPause(id, (pauses) => (pauses ? control.pause() : control.resume()));
    events.onPauseAll(id, control.pause);
    events.onResumeAll(id, control.resume);
    if (isPaused) control.pause();
    return events;
  }

  /** What an upload that has failed, or an earlier page, has left of a file goes with it. */
  #discardIdle = (file: UppyFile<M, B>): void => {
    const { uploadStarted, uploadComplete } = file.progress;
    if (!uploadStarted || uploadComplete || this.#running.has(file.id) || !isPicked(file)) return;
    discardFile(toUploadFile(file), this.#options).catch((error: unknown) => this.uppy.log(error, "warning"));
  };
}

type PickedFile<M extends Meta, B extends Body> = UppyFile<M, B> & { data: Blob };

/** Whether this page has the bytes of a file: not if it is on another server, or has to be picked again. */
const isPicked = <M extends Meta, B extends Body>(file: UppyFile<M, B>): file is PickedFile<M, B> =>
  !file.isRemote && file.data instanceof Blob;

function toUploadFile<M extends Meta, B extends Body>(file: UppyFile<M, B>): UploadFile {
  const { name, type, meta } = file;
  if (!isPicked(file)) {
    const problem = file.isRemote ? "a file of another server cannot be encrypted here" : "pick it again";
    throw new KeeplightError("INVALID_SOURCE", `${name}: ${problem}`, { details: { name } });
  }
  const { relativePath } = meta;
  const path = typeof relativePath === "string" && relativePath !== "" ? relativePath : name;
  return { data: file.data, name: meta.name, path, type: type ?? "" };
}

/** Uppy appends the details of an error to its message, as a string: what a server has said is worth that. */
function toUppyError(error: unknown): Error {
  if (isKeeplightError(error)) {
    const { serverMessage = "" } = error.details as { serverMessage?: unknown };
    Object.defineProperty(error.details, "toString", { value: () => String(serverMessage), configurable: true });
  }
  return error as Error & { details?: string };
}
