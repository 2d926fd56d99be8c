import { createStore, type Store } from "./store.ts";
import type { UploadEntry, UploadState } from "./upload-entry.ts";
import { createTotalCounter, type UploadTotal } from "./upload-total.ts";

/** Progress is shown at most once per frame. A timer, as pages in the background get no animation frames. */
const FRAME_MS = 16;

/** What a list shows at one moment. */
export interface UploadListState {
  uploads: readonly UploadEntry[];
  total: UploadTotal;
}

/** The empty list. One object, so that a server's and a page's first rendering are the same. */
export const emptyList: UploadListState = { uploads: [], total: createTotalCounter().compute() };

/** Entries by id, in the order they were added. A change costs the same however many there are. */
export interface UploadEntries extends Pick<Store<UploadListState>, "subscribe" | "state"> {
  add(entry: UploadEntry): void;
  setState(id: string, state: UploadState): void;
  delete(id: string): void;
  /** The ids in any of these statuses: of all entries, or of this one. */
  select(id: string | undefined, ...statuses: UploadState["status"][]): string[];
  get(id: string): UploadEntry | undefined;
  /** Shows all changes so far, at once. */
  publish(): void;
  /** Shows all changes together within a frame. */
  publishSoon(): void;
}

export function createUploadEntries(): UploadEntries {
  const store = createStore(emptyList);
  const entries = new Map<string, UploadEntry>();
  const counter = createTotalCounter();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function remove(id: string): UploadEntry | undefined {
    const entry = entries.get(id);
    if (entry) counter.remove(entry);
    return entry;
  }

  function add(entry: UploadEntry): void {
    entries.set(entry.id, entry);
    counter.add(entry);
  }

  function publish(): void {
    clearTimeout(timer);
    timer = undefined;
    store.setState(entries.size === 0 ? emptyList : { uploads: [...entries.values()], total: counter.compute() });
  }

  return {
    subscribe: store.subscribe,
    state: store.state,
    add,
    setState(id, state) {
      const entry = remove(id);
      if (entry) add({ ...entry, state });
    },
    delete(id) {
      remove(id);
      entries.delete(id);
    },
    select(id, ...statuses) {
      const entry = id === undefined ? undefined : entries.get(id);
      const candidates = id === undefined ? [...entries.values()] : entry ? [entry] : [];
      return candidates.filter(({ state }) => statuses.includes(state.status)).map((each) => each.id);
    },
    get: (id) => entries.get(id),
    publish,
    publishSoon() {
      timer ??= setTimeout(publish, FRAME_MS);
    },
  };
}
