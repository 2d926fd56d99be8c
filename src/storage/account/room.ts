import { throwIfAborted } from "../../base/async/abort.ts";
import { SHORT_TIMEOUT_MS } from "../../base/config/limits.ts";
import { noRoom } from "../../base/errors/input.ts";
import { defaultEndpoints, type ResolvedCall } from "../../base/options.ts";
import type { StorageClass } from "../upload/storage-class.ts";
import { getBalance, type Usage } from "./usage.ts";

/** How much an account may store in one storage class, and has stored, in bytes. */
export interface Room {
  limit: number;
  used: number;
}

/** Returns an account's room in a class, if its usage says anything about it. */
export function findRoom(usage: Usage, storage: StorageClass = "annual"): Room | undefined {
  const { dataLimit, dataUsed, dataLimitPermanent, dataUsedPermanent, walrusDataLimit, walrusDataUsed } = usage;
  const toRoom = (limit?: number | null, used?: number | null) =>
    typeof limit === "number" && limit >= 0 ? { limit, used: used ?? 0 } : undefined;
  if (storage === "lifetime") return toRoom(dataLimitPermanent, dataUsedPermanent);
  if (storage === "walrus") return toRoom(walrusDataLimit, walrusDataUsed);
  // 0 may also be what the network did not send.
  return storage === "annual" && dataLimit > 0 ? toRoom(dataLimit, dataUsed) : undefined;
}

/** How long a reading counts, in milliseconds. */
const FRESH_MS = 60_000;
/** Of so many accounts and classes the latest readings are kept. */
const MAX_READINGS = 100;

/** What was read, when, and how many bytes were let pass since; by account and class. */
const readings = new Map<string, { readonly at: number; readonly room: Room | undefined; passed: number }>();

/** What an upload is about to send, and for whom. */
interface RoomRequest {
  bytes: number;
  storage: StorageClass | undefined;
  /** Base URL of the upload node. */
  host: string;
  apiKey: string;
}

/**
 * Refuses bytes that an account has no room for in a storage class. A refusal rests on usage that was read for it; uploads
 * that run at once do not count for each other then.
 *
 * @throws `NO_ROOM`, `ABORTED`
 */
export async function assertRoom({ bytes, storage, host, apiKey }: RoomRequest, call: ResolvedCall): Promise<void> {
  // An API key for another network is not shown to the public one.
  const { api, upload, walrusUpload } = defaultEndpoints;
  const isPublic = host === upload || host === walrusUpload;
  if (isPublic !== (call.endpoints.api === api)) return;
  const place = [call.endpoints.api, storage, apiKey].join(" ");
  const known = readings.get(place);
  if (known && Date.now() - known.at < FRESH_MS && fits(bytes + known.passed, known.room)) {
    known.passed += bytes;
    return;
  }
  const { signal, endpoints } = call;
  const timeoutMs = Math.min(call.timeoutMs, SHORT_TIMEOUT_MS);
  const usage = await getBalance({ apiKey, endpoints, signal, timeoutMs }).catch(() => undefined);
  throwIfAborted(signal);
  // The next upload tries again.
  if (!usage) return;
  const room = findRoom(usage, storage);
  readings.delete(place);
  const isRefused = room && !fits(bytes, room);
  readings.set(place, { at: Date.now(), room, passed: isRefused ? 0 : bytes });
  for (const oldest of [...readings.keys()].slice(0, -MAX_READINGS)) readings.delete(oldest);
  if (isRefused) throw noRoom(storage, bytes, room);
}

function fits(bytes: number, room: Room | undefined): boolean {
  return !room || bytes <= room.limit - room.used;
}
