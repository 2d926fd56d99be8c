import { createStore } from "./store.ts";
import type { UploadEntry, UploadState } from "./upload-entry.ts";

/** Progress is shown at most once per frame. A timer, as pages in the background get no animation frames. */
const FRAME_MS = 16;

/** What a list shows at one moment. */
export interface UploadListState {
  /** The same array until an upload is added or removed. */
  ids: readonly string[];
  uploads: readonly UploadEntry[];
  total: UploadTotal;
}

/** The empty list. One object, so that a server's and a page's first rendering are the same. */
export const emptyList: UploadListState = { ids: [], uploads: [], total: createTotalCounter().compute() };

/**
 * Entries by id, in the order they were added. A change costs the same however many there are.
 *
 * @param onChange - called with the id of each upload whose change is shown
 */
export function createUploadEntries(onChange: (id: string) => void = () => undefined) {
  const store = createStore(emptyList);
  const entries = new Map<string, UploadEntry>();
  const counter = createTotalCounter();
  const changed = new Set<string>();
  let settled = emptyList;
  let isSettled = true;
  let isSameMembers = true;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function remove(id: string): UploadEntry | undefined {
    const entry = entries.get(id);
    if (entry) counter.remove(entry);
    return entry;
  }

  function put(entry: UploadEntry): void {
    entries.set(entry.id, entry);
    counter.add(entry);
    changed.add(entry.id);
  }

  /** Shows all changes so far, at once. */
  function publish(): void {
    clearTimeout(timer);
    timer = undefined;
    if (changed.size === 0) return;
    const ids = isSameMembers ? store.state().ids : [...entries.keys()];
    const next = entries.size === 0 ? emptyList : { ids, uploads: [...entries.values()], total: counter.compute() };
    if (!isSettled) settled = next;
    [isSettled, isSameMembers] = [true, true];
    const shown = [...changed];
    changed.clear();
    store.setState(next);
    for (const id of shown) onChange(id);
  }

  return {
    subscribe: store.subscribe,
    state: store.state,
    /** As of the latest change of a status: the same object while uploads only progress. */
    settledState: () => settled,
    add(entry: UploadEntry): void {
      put(entry);
      [isSettled, isSameMembers] = [false, false];
    },
    setState(id: string, state: UploadState): void {
      const entry = remove(id);
      if (!entry) return;
      put({ ...entry, state });
      if (entry.state.status !== state.status) isSettled = false;
    },
    delete(id: string): void {
      if (!remove(id)) return;
      entries.delete(id);
      changed.add(id);
      [isSettled, isSameMembers] = [false, false];
    },
    /** The ids in any of these statuses: of all entries, or of this one. */
    select(id: string | undefined, ...statuses: UploadState["status"][]): string[] {
      const entry = id === undefined ? undefined : entries.get(id);
      const candidates = id === undefined ? [...entries.values()] : entry ? [entry] : [];
      return candidates.filter(({ state }) => statuses.includes(state.status)).map((each) => each.id);
    },
    get: (id: string) => entries.get(id),
    publish,
    /** Shows all changes together within a frame. */
    publishSoon(): void {
      timer ??= setTimeout(publish, FRAME_MS);
    },
  };
}

/** All uploads of a list together. */
export interface UploadTotal {
  /** How many there are, by status. */
  count: Record<UploadState["status"], number>;
  /** Whether any upload is waiting or running. */
  active: boolean;
  /** In bytes, of those whose size is known. */
  size: number;
  /** Of all but the aborted ones, weighted by size: 0 to 1, and 1 when all are done. */
  fraction: number;
}

/** Sums over a list, updated entry by entry. Only the running entries are visited to compute a total. */
function createTotalCounter() {
  const count = { waiting: 0, running: 0, done: 0, failed: 0, aborted: 0 };
  // Whole numbers: adding and subtracting fractions would drift away from 0 and 1.
  let size = 0;
  let weight = 0;
  let doneWeight = 0;
  const running = new Set<UploadEntry>();

  function update(entry: UploadEntry, sign: 1 | -1): void {
    const { status } = entry.state;
    count[status] += sign;
    if (status === "aborted") return;
    size += sign * (entry.size ?? 0);
    weight += sign * computeWeight(entry);
    if (status === "done") doneWeight += sign * computeWeight(entry);
  }

  return {
    add(entry: UploadEntry): void {
      update(entry, 1);
      if (entry.state.status === "running") running.add(entry);
    },
    remove(entry: UploadEntry): void {
      update(entry, -1);
      running.delete(entry);
    },
    compute(): UploadTotal {
      let sum = doneWeight;
      for (const entry of running) {
        const { state } = entry;
        if (state.status === "running") sum += computeWeight(entry) * (state.progress?.fraction ?? 0);
      }
      const fraction = weight === 0 ? 0 : sum / weight;
      return { count: { ...count }, active: count.waiting + count.running > 0, size, fraction };
    },
  };
}

/** An empty file is some work, too. */
function computeWeight({ size = 0 }: UploadEntry): number {
  return size + 1;
}
