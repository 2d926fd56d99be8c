import { resolve } from "node:path";
import type { FilesToRecover, FileToRecover } from "@keeplight/recovery";
import { EXIT, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";
import { formatTable } from "../output/table.ts";
import { askNewPassword } from "../secrets/prompt.ts";
import { type DriveNames, readDriveNames } from "../steps/drive-names.ts";
import { openKitOf } from "../steps/inputs.ts";
import { exists, saveNew } from "../steps/place-file.ts";

const NO_PASSPHRASE = "Set KEEPLIGHT_PASSWORD or --recipient, or use a terminal.";

export async function kitMake(invocation: Invocation): Promise<void> {
  const { load, keyCall, account, output, argument, list, option, isDryRun, signal, call } = invocation;
  const kit = await load();
  const path = argument("file");
  const cids = list("cid");
  const recipients = option("recipient");
  const { apiKey, signer } = cids.length > 0 ? { apiKey: "", signer: await account.signer() } : await account.owner();
  const listed = cids.length > 0 ? cids : kit.iterateFiles({ ...call, apiKey, maxRows: Number.MAX_SAFE_INTEGER });
  if (isDryRun) {
    let count = 0;
    for await (const file of listed) if (typeof file === "string" || file.encryption) count += 1;
    const text = `Would write the keys of ${count} files to ${clean(path)}`;
    return output.result({ path, files: count, failures: [] }, text, path);
  }
  // Before somebody types a passphrase.
  if (await exists(path)) {
    throw new UsageError(`${path} exists already, and may hold keys that are nowhere else`, "FILE_EXISTS");
  }
  const choosePassphrase = async () =>
    account.secrets.password ?? askNewPassword("Passphrase of the new kit", NO_PASSPHRASE, signal);
  const target = recipients === undefined ? { passphrase: await choosePassphrase() } : { recipients };
  const driveNames = await readDriveNames(invocation);
  if (driveNames.problem !== undefined) {
    output.warn(`The kit has no names of the drive, which could not be read: ${driveNames.problem}`);
  }
  const files = withDriveNames(listed, driveNames);
  const { makeRecoveryKit } = await import("@keeplight/recovery");
  const made = await saveNew(path, (to) => makeRecoveryKit(files, { ...keyCall, signer, ...target, to }));
  const { failures } = made;
  const written = resolve(path);
  // The kit is kept, but it is not what was asked for.
  if (failures.length > 0) process.exitCode = EXIT.failed;
  for (const { cid, name, message } of failures) output.warn(`Not in it: ${name ?? cid}: ${message}`);
  const result = { path: written, files: made.files, failures };
  output.result(result, `${written}  ${made.files} keys`, written);
}

/** Gives files the names that the drive has of them: the network knows random ones. */
async function* withDriveNames(files: FilesToRecover, names: DriveNames): AsyncGenerator<FileToRecover> {
  const { encryptedSize } = await import("keeplight/parts");
  for await (const file of files) {
    const cid = typeof file === "string" ? file : file.cid;
    const found = names.find(cid);
    if (!found) yield file;
    else yield { cid, fileName: found.path, fileSizeInBytes: String(encryptedSize(found.size)), encryption: true };
  }
}

/** Keys are never printed. */
export async function kitOpen(invocation: Invocation): Promise<void> {
  const { output, argument } = invocation;
  const { entries, unread } = await openKitOf(invocation, argument("path"));
  // The rest is listed, but it is not what was asked for.
  if (unread.length > 0) process.exitCode = EXIT.failed;
  for (const { cid, name, size } of entries) output.item({ cid, name, size: size ?? null });
  const rows = entries.map(({ cid, name, size }) => [name ?? "?", formatBytes(size), cid]);
  const columns = [
    { title: "Name (unverified)", shrinks: true },
    { title: "Size (unverified)", align: "right" as const },
    { title: "Content id" },
  ];
  output.result(
    { count: entries.length, unread: unread.map(({ file, error: { code, message } }) => ({ file, code, message })) },
    (width) => formatTable(columns, rows, width),
    entries.map(({ cid }) => cid).join("\n"),
  );
}
