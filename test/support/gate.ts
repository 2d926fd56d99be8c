/** A point that one part of a test reaches and another part waits for. */
export interface Gate<T = void> {
  reached: Promise<T>;
  reach(value: T): void;
}

export function createGate<T = void>(): Gate<T> {
  let reach: (value: T) => void = () => undefined;
  const reached = new Promise<T>((resolve) => {
    reach = resolve;
  });
  return { reached, reach: (value) => reach(value) };
}
