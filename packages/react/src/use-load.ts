/** What every hook that loads on mount returns. */
export interface Loaded<Value> {
  /** The loading state, and the value. */
  state: LoadState<Value>;
  /** Loads the value again; the previous one stays until then. */
  reload(): Promise<void>;
}

/** A value that loads as soon as it is shown. While it reloads, the previous value stays. */
export type LoadState<Value> =
  | {
      status: "loading";
      /** The last known value. */
      value?: Value;
    }
  | {
      status: "ready";
      /** What was loaded. */
      value: Value;
    }
  | {
      status: "failed";
      /** Why it could not be loaded. */
      error: Error;
      /** The last known value. */
      value?: Value;
    };

/** Before anything is loaded. One object, so that a server's and a page's first rendering are the same. */
export const initialState: { status: "loading" } = { status: "loading" };
