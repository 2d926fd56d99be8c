import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";

/** What a call must not leave behind, by kind. */
interface Held {
  /** Timers, sockets and file requests of the event loop. */
  resources: string[];
  /** Open files and sockets, on systems that list them. */
  descriptors: string[];
  /** Temporary files. */
  temporary: string[];
}

const MAX_WAIT_MS = 3_000;

/**
 * Records what this process holds now, and points TMPDIR to a folder of this test. The returned function checks that
 * the process holds nothing more, waiting a while for what is just being closed.
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
    const deadline = performance.now() + MAX_WAIT_MS;
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
      // It was closed since the listing.
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

/** Returns the multiset difference `items` minus `others`. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return items.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
