import { vi } from "vitest";

/** Repeats `check` until it passes, for as long as a busy machine may need. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 50_000 });
}
