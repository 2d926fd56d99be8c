import { isKeeplightError, withDetails } from "../../base/errors/base.ts";
import { invalidSource, paidList } from "../../base/errors/input.ts";
import { cidMismatch } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import type { SourceFile } from "../../platform/types.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import type { ProgressReporter } from "../progress.ts";
import { createHashers, type ExpectedCids, listProfiles } from "../upload/encrypted-cids.ts";
import type { UploadedFile, UploadedFiles } from "../upload/upload-response.ts";
import { ignoreAnyFailure } from "./chain.ts";
import { insist } from "./insist.ts";
import type { Paying } from "./options.ts";
import { startOrder } from "./order.ts";
import { checkSize, findStored, uploadPaid } from "./paid-upload.ts";

interface PlainUpload {
  files: readonly SourceFile[];
  pay: Paying;
  progress: ProgressReporter;
}

/**
 * Pays for a file, unencrypted, and uploads it. Its content id names the order, so it is computed first: another upload of the
 * same file for the same payer, even after the end of the process, finds what was paid.
 *
 * @throws `INVALID_SOURCE`; what {@link uploadPaid} throws, and `CID_MISMATCH`: once something was signed as an
 * `UnfinishedError` whose `resume()` does the same again
 */
export async function uploadPlain({ files, pay, progress }: PlainUpload, call: ResolvedCall): Promise<UploadedFiles> {
  const [file] = files;
  if (!file || files.length > 1) throw paidList();
  if (!file.rereadable) throw invalidSource("payPerUpload takes what can be read again: a path, a Blob or bytes");
  checkSize(file);
  const expected = await hash(file, progress, call.signal);
  const order = await startOrder(expected.cids[0] ?? "", pay, call);
  return insist(
    false,
    async (signal) => {
      const own = { ...call, signal };
      const paid = { file, order, listCids: () => expected.cids, progress };
      const stored = await confirm(await uploadPaid(paid, pay, own), expected, own);
      progress.done();
      return [stored] as UploadedFiles;
    },
    call.signal,
  );
}

/**
 * Returns the file, if it is what was sent: by its content id, by that under which the network has it, or else by reading it
 * back, as a service may split files in a way that is not computed here.
 *
 * @throws `CID_MISMATCH`, `ABORTED`, with the receipt in `details.payment`
 */
async function confirm(stored: UploadedFile, expected: ExpectedCids, call: ResolvedCall): Promise<UploadedFile> {
  const { receipt, Name, Hash } = stored;
  if (expected.has(Hash)) return stored;
  try {
    const own = await findStored(expected.cids, call);
    if (own !== undefined) return { ...stored, Hash: own };
    const { isStoredAs } = await loadOnDemand();
    if (await isStoredAs(Hash, expected, 1, call).catch(ignoreAnyFailure)) return stored;
    throw cidMismatch({ name: Name, expected: expected.cids[0] ?? "", got: Hash });
  } catch (error) {
    // It is paid for.
    throw isKeeplightError(error) ? withDetails(error, { ...error.details, payment: receipt }) : error;
  }
}

async function hash(
  file: SourceFile,
  progress: ProgressReporter,
  signal: AbortSignal | undefined,
): Promise<ExpectedCids> {
  const hashers = createHashers(listProfiles(1));
  let read = 0;
  for await (const chunk of file.open(signal ?? new AbortController().signal, true)) {
    await hashers.update(chunk);
    read += chunk.length;
    progress.report("preparing", read, file.size);
  }
  return hashers.finish();
}
