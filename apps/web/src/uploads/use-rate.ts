import { useState } from "react";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { formatDuration } from "./format-rate.ts";
import { createRateMeter } from "./rate.ts";

/** Describes how fast something is and how long it still takes; `undefined` until that is known. */
export function useRate(fraction: number, size: number, isRunning: boolean): string | undefined {
  const { uploads } = useMessages();
  const [meter] = useState(createRateMeter);
  if (!isRunning || size === 0) return undefined;
  const rate = meter.measure(fraction * size, size, performance.now());
  return rate && uploads.rate(formatBytes(Math.round(rate.bytesPerSecond)), formatDuration(rate.secondsLeft));
}
