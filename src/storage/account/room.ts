import { throwIfAborted } from "../../base/async/abort.ts";
import { noRoom } from "../../base/errors/input.ts";
import { type CallOptions, resolveCall } from "../../base/options.ts";
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
    typeof limit === "number" ? { limit, used: used ?? 0 } : undefined;
  if (storage === "lifetime") return toRoom(dataLimitPermanent, dataUsedPermanent);
  if (storage === "walrus") return toRoom(walrusDataLimit, walrusDataUsed);
  // 0 may also be what the network did not send.
  return storage === "annual" && dataLimit > 0 ? toRoom(dataLimit, dataUsed) : undefined;
}

/** How long a reading counts, in milliseconds. */
const FRESH_MS = 60_000;

/** The latest reading, and how many bytes were let pass since. */
let latest:
  | { readonly account: string; readonly at: number; readonly usage: Promise<Usage | undefined>; passed: number }
  | undefined;

/** What an upload is about to send, and for whom. */
interface RoomRequest {
  bytes: number;
  storage: StorageClass | undefined;
  apiKey: string;
}

/**
 * Refuses bytes that an account has no room for in a storage class. A refusal rests on usage that was read for it.
 *
 * @throws `NO_ROOM`, `ABORTED`
 */
export async function assertRoom(request: RoomRequest, { signal, endpoints }: CallOptions): Promise<void> {
  const { bytes, storage, apiKey } = request;
  const call = resolveCall({ signal, endpoints });
  const account = `${call.endpoints.api} ${apiKey}`;
  for (const isFresh of [false, true]) {
    const now = Date.now();
    if (isFresh || latest?.account !== account || now - latest.at > FRESH_MS) {
      const usage = getBalance({ ...call, apiKey }).catch(() => undefined);
      latest = { account, at: now, usage, passed: 0 };
    }
    const reading = latest;
    const usage = await reading.usage;
    throwIfAborted(signal);
    const room = usage && findRoom(usage, storage);
    if (!room || bytes + reading.passed <= room.limit - room.used) {
      reading.passed += bytes;
      return;
    }
    if (isFresh) throw noRoom(storage, bytes, room);
  }
}
