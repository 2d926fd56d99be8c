import { fileSink } from "#platform";
import { untilAborted } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { cannotWrite, invalidOption } from "../../base/errors/input.ts";
import type { Resolved } from "../../base/operation.ts";
import { collectBytes, toHex } from "../../base/streams/bytes.ts";
import { createAgeEncryption } from "../age.ts";
import { formatEntry, type RecoveryKey } from "./entry.ts";
import { recoveryRecipients, type recoverySchema, recoveryTarget, type StoreRecovery } from "./recorder-options.ts";

/** Adds entries to a recovery kit. */
export type Recorder = Awaited<ReturnType<typeof createRecorder>>;

/**
 * Prepares adding to a recovery kit: one option requires the other, and the folder can be written to.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `UNSUPPORTED` (a folder in a page)
 */
export async function createRecorder(options: Partial<Resolved<typeof recoverySchema>>, signal?: AbortSignal) {
  const recipients = [recoveryRecipients(options.recovery, "recovery")].flat();
  const encrypt = await createAgeEncryption({ recipients }, signal);
  if (!encrypt) throw invalidOption("recovery", "age recipients (age1…, of X25519)");
  const target = recoveryTarget(options.recoveryTo, "recoveryTo");
  const store = typeof target === "function" ? target : await openFolder(target);
  return {
    /** Adds entries as one message; resolves once it is durable. */
    async write(keys: readonly RecoveryKey[]): Promise<void> {
      const message = await collectBytes(encrypt(toLines(keys)));
      await untilAborted(storeMessage(store, message), signal);
    },
  };
}

async function storeMessage(store: StoreRecovery, message: Uint8Array<ArrayBuffer>): Promise<void> {
  const random = toHex(crypto.getRandomValues(new Uint8Array(8)));
  try {
    await store(message, `${new Date().toISOString().replace(/[:.]/g, "-")}-${random}.age`);
  } catch (error) {
    throw isKeeplightError(error) ? error : cannotWrite("recoveryTo", error);
  }
}

/** Returns what stores messages in a folder, once it has proved to be one that can be written to. */
async function openFolder(folder: string | URL): Promise<StoreRecovery> {
  const probe = await fileSink(join(folder, ".age"));
  await probe.abandon();
  return async (message, name) => {
    const sink = await fileSink(join(folder, name));
    try {
      await sink.write(message);
      await sink.commit();
    } finally {
      await sink.abandon();
    }
  };
}

function join(folder: string | URL, name: string): string | URL {
  const base = String(folder).replace(/\/*$/, "/");
  // A journal keeps URLs as strings.
  return base.startsWith("file:") ? new URL(base + name) : base + name;
}

async function* toLines(keys: readonly RecoveryKey[]): AsyncGenerator<Uint8Array> {
  for (const key of keys) yield await formatEntry(key);
}
