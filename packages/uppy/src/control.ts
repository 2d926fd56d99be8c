import { deriveSignal, throwIfAborted, untilAborted } from "keeplight/parts";

/** How many files may be uploaded at once. */
interface Slots {
  /** Resolves, in the order of the calls, once there is room for one more; returns what makes room again. Throws `ABORTED`. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(limit: number): Slots {
  let free = limit;
  const waiting = new Set<() => void>();

  function release(): void {
    const [next] = waiting;
    if (!next) {
      free++;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async take(signal) {
      throwIfAborted(signal);
      if (free > 0) {
        free--;
        return release;
      }
      const turn = createPause();
      waiting.add(turn.end);
      await untilAborted(turn.over, signal).catch((error: unknown) => {
        // Otherwise its turn has come at the same time.
        if (!waiting.delete(turn.end)) release();
        throw error;
      });
      return release;
    },
  };
}

/** Lets the requests of one file run: while there is a slot for it, and unless it is paused. */
export type Control = ReturnType<typeof createControl>;

export function createControl(slots: Slots) {
  const ended = new AbortController();
  /** From one pause to the next. */
  let period: ReturnType<typeof deriveSignal> | undefined;
  let releaseSlot: (() => void) | undefined;
  let pause: Pause | undefined;
  let isCancelled = false;

  function leaveSlot(): void {
    releaseSlot?.();
    releaseSlot = undefined;
  }

  return {
    /** Fires once the file is cancelled, or over; not when it is paused. */
    signal: ended.signal,
    isCancelled: () => isCancelled,
    /** Ends the request that is running; the next one starts after {@link resume}. Meanwhile another file may have the slot. */
    pause(): void {
      pause ??= createPause();
      period?.end();
      period = undefined;
      leaveSlot();
    },
    resume(): void {
      pause?.end();
      pause = undefined;
    },
    /** The file was removed: nothing of it is to stay. */
    cancel(): void {
      isCancelled = true;
      ended.abort();
    },
    /** Makes room for another file. */
    end(): void {
      ended.abort();
      leaveSlot();
    },
    /**
     * Waits until a request of the file may run.
     *
     * @returns what fires once it may not any more
     * @throws `ABORTED` once the file is cancelled
     */
    async ready(): Promise<AbortSignal> {
      while (pause || !releaseSlot) {
        if (pause) await untilAborted(pause.over, ended.signal);
        else {
          const release = await slots.take(ended.signal);
          // Paused while it waited.
          if (pause) release();
          else releaseSlot = release;
        }
      }
      throwIfAborted(ended.signal);
      period ??= deriveSignal(ended.signal);
      return period.signal;
    },
  };
}

interface Pause {
  /** Resolves once it has ended. */
  over: Promise<void>;
  end: () => void;
}

function createPause(): Pause {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { over, end };
}
