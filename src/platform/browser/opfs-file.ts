// Imports nothing: as only large files need it, it is loaded by itself.

export type OpfsFile = NonNullable<Awaited<ReturnType<typeof openOpfsFile>>>;

/**
 * How long a Worker may take to open its file, in milliseconds. One that the browser ends before that holds no lock yet,
 * so nothing reports its end. A slow one costs no more than a dead one: the bytes are kept in Blob parts then.
 */
const MAX_OPEN_MS = 30_000;

/** Pending writes: during these, the next block is built. */
const WRITES_AHEAD = 4;

/**
 * Creates a nameless file in this folder of the origin private file system, or returns `undefined` if the runtime has no
 * Worker to write to it quickly, or forbids that, or if the Worker ends before it has opened the file. The file's methods
 * throw the errors of the runtime.
 */
export async function openOpfsFile(folder: FileSystemDirectoryHandle) {
  if (typeof Worker === "undefined") return undefined;
  const name = crypto.randomUUID();
  const worker = startWorker();
  if (!worker) return undefined;
  let writing = false;
  let size = 0;
  const pendingWrites: Promise<ArrayBuffer | undefined>[] = [];

  const close = async () => {
    // A file that is still open for writing cannot be removed.
    if (writing) await worker.request({ close: true }).catch(() => undefined);
    worker.end();
    // Nor can the file of a Worker that has not fully ended: it holds a lock by the file's name until then.
    await navigator.locks.request(name, () => removeWhenFree(folder, name)).catch(() => undefined);
  };
  let closing: Promise<void> | undefined;
  const remove = () => {
    closing ??= close();
    return closing;
  };
  const timer = setTimeout(worker.end, MAX_OPEN_MS);
  try {
    await worker.request({ open: [folder.name, name] });
    writing = true;
    // Ends the pending requests of a Worker that something else has ended.
    navigator.locks.request(name, worker.end).catch(() => undefined);
  } catch {
    await remove();
    return undefined;
  } finally {
    clearTimeout(timer);
  }
  return {
    /**
     * Transfers the bytes, and waits if too many are pending; a later call may report the failure. Returns the buffer of
     * earlier bytes that are written by now, for reuse: allocating memory costs more than writing.
     */
    async write(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer | undefined> {
      size += bytes.length;
      const written = worker.request({ write: bytes }, [bytes.buffer]);
      // Reported by the call that waits for it; if the file is removed before, by none.
      written.catch(() => undefined);
      pendingWrites.push(written);
      return pendingWrites.length > WRITES_AHEAD ? pendingWrites.shift() : undefined;
    },
    /** Returns the complete file, which exists until it is removed or the page ends. */
    async finish(): Promise<File> {
      await Promise.all(pendingWrites);
      await worker.request({ close: true });
      writing = false;
      worker.end();
      const handle = await folder.getFileHandle(name);
      const file = await handle.getFile();
      if (file.size !== size) throw new Error(`${file.size} of ${size} bytes were kept`);
      return file;
    },
    remove,
  };
}

const REMOVE_ATTEMPTS = 200;
const REMOVE_PAUSE_MS = 25;

/** Removes a file as soon as its handle is free: that of a terminated Worker is released a little after its lock. */
async function removeWhenFree(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await folder.removeEntry(name);
      return;
    } catch (error) {
      const isOpen = error instanceof DOMException && error.name === "NoModificationAllowedError";
      if (!isOpen || attempt === REMOVE_ATTEMPTS) return;
      await new Promise((resolve) => setTimeout(resolve, REMOVE_PAUSE_MS));
    }
  }
}

/**
 * Only a Worker may write synchronously, which is several times as fast as asynchronous writes. Nothing is flushed to the
 * disk: the file need not survive a crash.
 */
const WORKER_SOURCE = `
let handle, position = 0;
onmessage = async ({ data: { id, open, write, close } }) => {
  try {
    if (open) {
      // Holds the lock until this Worker ends, for any reason.
      await new Promise((held, refused) => {
        navigator.locks.request(open[1], () => (held(), new Promise(() => {}))).catch(refused);
      });
      const root = await navigator.storage.getDirectory();
      const folder = await root.getDirectoryHandle(open[0]);
      const file = await folder.getFileHandle(open[1], { create: true });
      handle = await file.createSyncAccessHandle();
    }
    if (write) {
      for (let at = 0; at < write.length; ) {
        const step = handle.write(write.subarray(at), { at: position });
        // Beyond its quota a page in a private window gets a wrong number of bytes instead of an error.
        if (!(step > 0 && step <= write.length - at)) throw new Error("no space left");
        at += step;
        position += step;
      }
    }
    if (close) handle.close();
    postMessage({ id, written: write && write.buffer }, write ? [write.buffer] : []);
  } catch (error) {
    postMessage({ id, failed: String(error && error.message || error) });
  }
};
`;

function startWorker() {
  const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
  let worker: Worker;
  try {
    worker = new Worker(url);
  } catch {
    // A content security policy may forbid Workers.
    URL.revokeObjectURL(url);
    return undefined;
  }
  const pending = new Map<number, { resolve: (written?: ArrayBuffer) => void; reject: (reason: unknown) => void }>();
  let lastId = 0;
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    worker.terminate();
    URL.revokeObjectURL(url);
    for (const { reject } of pending.values()) reject(new Error("the worker has ended"));
    pending.clear();
  };
  worker.onmessage = ({ data }: MessageEvent<{ id: number; written?: ArrayBuffer; failed?: string }>) => {
    const waiting = pending.get(data.id);
    pending.delete(data.id);
    if (data.failed === undefined) waiting?.resolve(data.written);
    else waiting?.reject(new Error(data.failed));
  };
  worker.onerror = end;
  return {
    /** Returns the buffer of the written bytes. */
    request: (message: Record<string, unknown>, transfer: Transferable[] = []) =>
      new Promise<ArrayBuffer | undefined>((resolve, reject) => {
        if (hasEnded) throw new Error("the worker has ended");
        const id = ++lastId;
        pending.set(id, { resolve, reject });
        worker.postMessage({ ...message, id }, transfer);
      }),
    end,
  };
}
