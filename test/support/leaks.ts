import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";

/** What a call must not leave behind, by kind. */
interface Held {
  /** Timers, sockets and file requests of the event loop. */
  resources: string[];
  /** Open files and sockets, where the system tells. */
  descriptors: string[];
  /** Temporary files. */
  temporary: string[];
}

const PATIENCE_MS = 3_000;

/**
 * Notes what this process holds now, and gives the test a folder for temporary files of its own. The
 * function that comes back checks that nothing was added for good.
 */
export function watchLeaks(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "keeplight-test-"));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  const held = (): Held => ({
    resources: process.getActiveResourcesInfo().filter((kind) => kind !== "Immediate"),
    descriptors: descriptors(),
    temporary: readdirSync(temporary),
  });

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

function descriptors(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      if (target.startsWith("socket:")) return ["socket"];
      return /^\/(?!proc|dev)/.test(target) ? [target] : [];
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
