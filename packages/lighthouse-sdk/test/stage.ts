import { beforeAll, expect } from "vitest";
import type { Endpoints } from "../../../src/base/options.ts";
import { type Stage, setStage } from "../../../test/interop/stage.ts";
import type { DevnetOptions } from "../../devnet/src/index.ts";
import { kavachSettings, lighthouseSettings } from "../../kavach/src/settings.ts";

/** Points the calls at these services; pauses between key nodes last a millisecond. */
export function pointAt(endpoints: Endpoints): void {
  Object.assign(lighthouseSettings, {
    lighthouseAPI: endpoints.api,
    lighthouseNode: endpoints.upload,
    lighthouseWalrusNode: endpoints.walrusUpload,
    lighthouseGateway: endpoints.gateway,
    lighthouseBLSNode: endpoints.keyNodes,
  });
  Object.assign(kavachSettings, { lighthouseAuthNode: endpoints.keyNodes, pauseMs: 1, retryMs: 1 });
}

/** A devnet with the incumbent and the drop-in pointed at it, for all tests of a file. */
export function setCompatStage(options: DevnetOptions = {}): () => Stage {
  const stage = setStage(options);
  beforeAll(() => pointAt(stage().devnet.endpoints));
  return stage;
}

/** The keys and types of a result, at every depth; of a list those of its first item. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, shapeOf(item)]),
  );
}

/** Waits for a call that fails, and returns what it throws. */
export async function rejection(call: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([call]);
  expect(outcome?.status).toBe("rejected");
  return outcome?.status === "rejected" ? outcome.reason : undefined;
}

/** What the incumbent's process sends for what a call throws. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}
