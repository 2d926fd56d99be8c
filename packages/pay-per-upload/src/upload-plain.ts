import { isKeeplightError, KeeplightError, type UploadedFile, type UploadedFiles } from "keeplight";
import { hashFile } from "keeplight/parts";
import type { Call } from "./call.ts";
import { ignoreAnyFailure, withDetails } from "./errors.ts";
import { insist } from "./insist.ts";
import type { Paying } from "./options.ts";
import { startOrder } from "./order.ts";
import { checkFile, findStored, type PaidFile, uploadPaid } from "./paid-upload.ts";

/**
 * Pays for a file, unencrypted, and uploads it. Its content id names the order, so it is computed first: another upload of the
 * same file for the same payer, even after the end of the process, finds what was paid.
 *
 * @throws `INVALID_SOURCE`; what {@link uploadPaid} throws, and `CID_MISMATCH`: once something was signed as an
 * `UnfinishedError` whose `resume()` does the same again
 */
export async function uploadPlain(
  { file, progress }: Pick<PaidFile, "file" | "progress">,
  paying: Paying,
  call: Call,
): Promise<UploadedFiles> {
  checkFile(file);
  const onRead = (bytes: number) => progress.report("preparing", bytes, file.size);
  const expected = await hashFile(file, { signal: call.signal, onRead });
  const order = await startOrder(expected.cids[0] ?? "", paying, call);
  return insist(
    false,
    async (signal) => {
      const own = { ...call, signal };
      const paid = { file, order, listCids: () => expected.cids, progress };
      const stored = await confirm(await uploadPaid(paid, paying, own), expected, own);
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
async function confirm(
  stored: UploadedFile,
  { cids, has, yields }: Awaited<ReturnType<typeof hashFile>>,
  call: Call,
): Promise<UploadedFile> {
  const { receipt, Name: name, Hash: got } = stored;
  if (has(got)) return stored;
  try {
    const own = await findStored(cids, call);
    if (own !== undefined) return { ...stored, Hash: own };
    if (await yields(got, call).catch(ignoreAnyFailure)) return stored;
    const [expected = ""] = cids;
    const message = `The content id of ${name} does not match the bytes: expected ${expected}, got ${got}`;
    throw new KeeplightError("CID_MISMATCH", message, { details: { name, expected, got } });
  } catch (error) {
    // It is paid for.
    throw isKeeplightError(error) ? withDetails(error, { ...error.details, payment: receipt }) : error;
  }
}
