import { filesAt } from "#platform";
import { resolvePart } from "../base/operation.ts";
import { isKeeplightError, type KeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import { cannotWrite } from "../errors/source.ts";
import { resolveOwner } from "../kavach/auth/owner.ts";
import { openKeyNodes } from "../kavach/nodes/node-client.ts";
import { ownerCallSchema } from "../kavach/nodes/owner-call.ts";
import { formatEntry } from "../recovery-file/entry.ts";
import { writeAll } from "../streams/write-all.ts";
import { checkOutput, type OutputOptions, openOutput } from "../transfer/download/output.ts";
import type { KitFailure, KitOutput, KitTarget, MadeKit, RecoveryKitOptions } from "./kit-options.ts";
import { type FileToRecover, listKeys } from "./list-keys.ts";

/** Recovers the keys of files and writes them as an age file; see {@link makeRecoveryKit}. */
export async function writeKit(
  files: Iterable<FileToRecover> | AsyncIterable<FileToRecover>,
  options: RecoveryKitOptions & KitOutput,
): Promise<MadeKit<unknown>> {
  const { signal, to, recipients: _, passphrase: __, as, ...recovering } = options;
  checkOutput(options);
  const { createAgeEncryption } = await import("../age/age.ts");
  const encrypt = await createAgeEncryption(toTarget(options), signal);
  if (!encrypt) throw invalidOption("recipients", "age recipients (age1…, of X25519), or a passphrase");
  const account = resolvePart(ownerCallSchema, options);
  await (await resolveOwner(account, openKeyNodes(account))).token();
  if (to !== undefined) await refuseExisting(to, signal);
  const failures: KitFailure[] = [];
  let firstError: KeeplightError | undefined;
  let count = 0;

  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const outcome of listKeys(files, { ...recovering, signal })) {
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

  const sink = await openOutput({ to, as } as OutputOptions);
  try {
    await writeAll(sink, encrypt(lines()), signal);
    return { kit: await sink.commit(), files: count, failures };
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

function toTarget({ recipients, passphrase }: KitTarget) {
  if (passphrase !== undefined && recipients !== undefined) {
    throw invalidOption("passphrase", "nothing beside recipients");
  }
  if (passphrase !== undefined) return { passphrase: checkPassphrase(passphrase) };
  return { recipients: typeof recipients === "string" ? [recipients] : Array.isArray(recipients) ? recipients : [] };
}

/** Returns a passphrase that is not empty; throws `INVALID_OPTION` for anything else. */
export function checkPassphrase(passphrase: unknown): string {
  if (typeof passphrase !== "string" || passphrase === "") throw invalidOption("passphrase", "a non-empty string");
  return passphrase;
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
