import { readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect } from "vitest";

/** What a call must not leave behind in this process, by kind. */
interface Held {
  /** Timers, sockets and file requests of the event loop. */
  resources: string[];
  /** Open files and sockets, where the system tells. */
  descriptors: string[];
  /** Entries of the temporary folder that are this kit's. */
  temporary: string[];
}

const PATIENCE_MS = 3_000;

/** Notes what is held now; the function that comes back checks that nothing was added to it for good. */
export function watchLeaks(): () => Promise<void> {
  const before = held();
  return async () => {
    const deadline = performance.now() + PATIENCE_MS;
    let left = added(before, held());
    while (performance.now() < deadline && Object.values(left).some((kind) => kind.length > 0)) {
      await new Promise((resolve) => setImmediate(resolve));
      left = added(before, held());
    }
    expect(left).toEqual({ resources: [], descriptors: [], temporary: [] });
  };
}

function held(): Held {
  return {
    resources: process.getActiveResourcesInfo().filter((kind) => kind !== "Immediate"),
    descriptors: descriptors(),
    temporary: readdirSync(tmpdir()).filter((name) => name.startsWith("keeplight-") && !name.includes("test")),
  };
}

function descriptors(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      if (target.startsWith("socket:")) return ["socket"];
      return target.startsWith("/") && !target.startsWith("/proc") && !target.startsWith("/dev") ? [target] : [];
    } catch {
      // It was closed in between.
      return [];
    }
  });
}

function added(before: Held, now: Held): Held {
  return {
    resources: without(now.resources, before.resources),
    descriptors: without(now.descriptors, before.descriptors),
    temporary: without(now.temporary, before.temporary),
  };
}

/** `items` without those of `others`, each as often as it is there. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return items.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
