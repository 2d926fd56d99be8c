/**
 * How long a state that nobody waits for stays unwritten, in milliseconds: longer if writing takes long, as the states of
 * thousands of files do, so that all these writes take some 1 % of the time.
 */
const MIN_UNWRITTEN_MS = 250;
const MAX_UNWRITTEN_MS = 10_000;
const UNWRITTEN_PER_WRITING = 100;

/** Writes the states of one entry, each as a whole, one after another; skips those that are superseded meanwhile. */
export function createStateWriter<State>(initial: State, write: (state: State) => Promise<void>) {
  let state = initial;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writingMs = 0;

  function cancelNote(): boolean {
    const isNoted = timer !== undefined;
    clearTimeout(timer);
    timer = undefined;
    return isNoted;
  }

  function start(): Promise<void> {
    cancelNote();
    next = undefined;
    const startedAt = performance.now();
    const writing = write(state).finally(() => {
      writingMs = performance.now() - startedAt;
      if (running === writing) running = undefined;
    });
    running = writing;
    return writing;
  }

  function requestWrite(): Promise<void> {
    if (next) return next;
    if (!running) return start();
    next = running.catch(() => undefined).then(start);
    return next;
  }

  return {
    get state() {
      return state;
    },
    /** Changes the state; resolves once a state with the change is written. */
    update(change: Partial<State>): Promise<void> {
      state = { ...state, ...change };
      return requestWrite();
    },
    /** Changes the state, which is written soon. A failure is not reported: only the next update may fail. */
    note(change: Partial<State>): void {
      state = { ...state, ...change };
      if (timer !== undefined || next) return;
      const delay = Math.min(Math.max(MIN_UNWRITTEN_MS, writingMs * UNWRITTEN_PER_WRITING), MAX_UNWRITTEN_MS);
      timer = setTimeout(() => void requestWrite().catch(() => undefined), delay);
      // A pending note alone does not keep a process alive.
      if (typeof timer === "object") timer.unref();
    },
    /** Resolves once nothing is being written any more; what is only noted is written first, or dropped. */
    async end({ writeNotes }: { writeNotes: boolean }): Promise<void> {
      const isNoted = cancelNote();
      if (isNoted && writeNotes) await requestWrite().catch(() => undefined);
      await next?.catch(() => undefined);
      await running?.catch(() => undefined);
    },
  };
}
