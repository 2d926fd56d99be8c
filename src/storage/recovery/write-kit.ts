import { filesAt } from "#platform";
import { SHORT_TIMEOUT_MS } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { cannotWrite } from "../../base/errors/source.ts";
import type { Resolved } from "../../base/operation.ts";
import { writeAll } from "../../base/streams/write-all.ts";
import type { AgeTarget } from "../../formats/age/age.ts";
import { formatEntry } from "../../formats/recovery-file/entry.ts";
import { resolveOwner } from "../../keys/auth/owner.ts";
import { openKeyNodes } from "../../keys/nodes/node-client.ts";
import { openOutput, type outputSchema } from "../download/output.ts";
import { type FileToRecover, listKeys } from "./list-keys.ts";
import type { KeyRecovery } from "./proven-key.ts";

/** A file whose key is not in the kit. */
export interface KitFailure {
  /** Of the file. */
  cid: string;
  /** As uploaded; `null` if unknown. */
  name: string | null;
  /** As in a {@link KeeplightError}. */
  code: string;
  /** Why its key could not be recovered. */
  message: string;
}

/** Result of {@link makeRecoveryKit}. */
export interface MadeKit<Output> {
  /** The age file, or where it was saved. */
  kit: Output;
  /** How many files' keys it holds. */
  files: number;
  /** The files whose key could not be recovered. */
  failures: KitFailure[];
}

/** Recovers the keys of files and writes them as an age file; see {@link makeRecoveryKit}. */
export async function writeKit(
  files: Iterable<FileToRecover> | AsyncIterable<FileToRecover>,
  target: AgeTarget,
  options: KeyRecovery & Resolved<typeof outputSchema>,
): Promise<MadeKit<unknown>> {
  const { signal, to, timeoutMs = SHORT_TIMEOUT_MS } = options;
  const { createAgeEncryption } = await import("../../formats/age/age.ts");
  const encrypt = await createAgeEncryption(target, signal);
  if (!encrypt) throw invalidOption("recipients", "age recipients (age1…, of X25519), or a passphrase");
  await (await resolveOwner(options, openKeyNodes({ ...options, timeoutMs }))).token();
  if (to !== undefined) await refuseExisting(to, signal);
  const failures: KitFailure[] = [];
  let firstError: KeeplightError | undefined;
  let count = 0;

  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const outcome of listKeys(files, options)) {
      if ("key" in outcome) {
        count++;
        yield await formatEntry(outcome.key);
      } else {
        const { entry, error } = outcome;
        firstError ??= error;
        failures.push({ cid: entry.cid, name: entry.name, code: error.code, message: error.message });
      }
    }
    // A kit without any key would only look like one.
    if (count === 0 && firstError) throw firstError;
  }

  const sink = await openOutput(options);
  try {
    await writeAll(sink, encrypt(lines()), signal);
    return { kit: await sink.commit(), files: count, failures };
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

/** An older kit may hold keys that cannot be recovered any more: it is never replaced. */
async function refuseExisting(to: string | URL, signal: AbortSignal | undefined): Promise<void> {
  try {
    await filesAt(to, signal);
  } catch (error) {
    if (isKeeplightError(error, "SOURCE_UNREADABLE")) return;
    throw error;
  }
  throw cannotWrite(String(to), Object.assign(new Error("a file is there already"), { code: "EEXIST" }));
}
