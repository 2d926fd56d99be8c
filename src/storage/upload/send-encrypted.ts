import { type ErrorCode, isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { paidList } from "../../base/errors/input.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { type EncryptedFile, isPlainText } from "./encrypt-files.ts";
import { createHashedUpload, type ExpectedCids, readBlockId } from "./encrypted-cids.ts";
import { getOnlyName, toNodeName } from "./file-names.ts";
import { send, type Upload } from "./send.ts";
import { getPaidFile, type UploadPayment } from "./upload-access.ts";
import type { Attempt, UploadEntry } from "./upload-entry.ts";
import { readUploadResponse, type UploadedFile } from "./upload-response.ts";

/** One request with encrypted files, once all options are checked. */
export interface EncryptedRequest extends Pick<Upload, "files" | "route" | "wrapWithDirectory"> {
  /** The same files, as `encryptFiles` returns them. */
  encrypted: readonly EncryptedFile[];
  /** Of the same files. */
  entry: UploadEntry;
  /** What is paid for, if the route is a paid one. */
  order?: object | undefined;
  /** Whether every content id that a file may have is to be known before its last byte is sent. @default false */
  hashAll?: boolean;
}

/** Encrypted files that the upload node has. */
export type SentFiles = Awaited<ReturnType<typeof sendEncrypted>>;

/**
 * Encrypts and sends files.
 *
 * @throws what {@link send} throws, `INVALID_JSON`, `INVALID_RESPONSE`; for {@link mayBeStored}
 */
export async function sendEncrypted(request: EncryptedRequest, attempt: Attempt) {
  const { files, encrypted, route, wrapWithDirectory, entry, hashAll = route.payment !== undefined } = request;
  const { cidVersion, progress, call } = attempt;
  const cut = { version: cidVersion, host: route.base, hashAll };
  const hashed = createHashedUpload(encrypted, cut, entry.expectCids);
  const isHidden = entry.files().some(({ sentAs }) => sentAs !== undefined);
  const type = !isHidden && files.every(isPlainText) ? { "Mime-Type": "text/plain" } : {};
  const headers = { ...route.headers, Encryption: "true", ...type };
  const upload = { files: hashed.files, route: { ...route, headers }, cidVersion, wrapWithDirectory, progress };
  const names = encrypted.map((file) => file.name);
  const { rows, facts } = route.payment ? await sendPaid(upload, request, route.payment, call) : await sendFree();
  const match = () => withOwnNames(matchResponse(rows, names, facts, hashed.expected), entry);

  async function sendFree() {
    const response = await send(upload, call);
    const name = getOnlyName(encrypted, wrapWithDirectory);
    const list = files.length > 1;
    return { rows: readUploadResponse(response, { list, name, storage: route.storage }), facts: response.facts };
  }

  return {
    /** Returns the content ids that were computed of the file at an index. */
    expected: hashed.expected,
    /**
     * Finds out where each file is stored. May be called again after an error.
     *
     * @throws `INVALID_RESPONSE` if the response does not say; `ABORTED`; what writing to a journal throws
     */
    async locate(signal: AbortSignal | undefined): Promise<UploadedFile[]> {
      // Kept before anything that takes long: with one file, it is certain which one is stored.
      if (names.length === 1) await entry.locate(match());
      await hashed.complete(
        rows.map(({ Hash }) => Hash),
        signal,
      );
      return match();
    },
  };
}

/** Returns rows of the response by the names of the caller, if others were sent. */
function withOwnNames(stored: readonly UploadedFile[], entry: UploadEntry): UploadedFile[] {
  const files = entry.files();
  return stored.map((row, at) => {
    const { sentAs, name = row.Name } = files[at] ?? {};
    return sentAs === undefined ? row : { ...row, Name: name };
  });
}

/** Pays for a file and sends it. */
async function sendPaid(
  { files, route, progress }: Upload,
  { order, entry }: EncryptedRequest,
  payment: UploadPayment,
  call: ResolvedCall,
) {
  const file = getPaidFile(files);
  if (!order) throw paidList();
  const listCids = () => entry.files().flatMap(({ attempts }) => attempts.flatMap(({ cids }) => cids));
  const row = await payment.uploadEncrypted({ file, order, listCids, progress }, call);
  return { rows: [row], facts: { method: "POST", url: `${route.base}${route.path}` } };
}

/** Codes of errors after which the upload node has responded, but not reliably. */
const UNTRUSTED_RESPONSE = new Set<ErrorCode>(["INVALID_JSON", "INVALID_RESPONSE"]);

export function mayBeStored(error: unknown): error is KeeplightError {
  if (!isKeeplightError(error)) return false;
  const { bodySent, payment } = error.details;
  // What was signed may be carried out.
  return bodySent === true || payment !== undefined || UNTRUSTED_RESPONSE.has(error.code);
}

/**
 * Returns the response's item of each file, in the order of `names`: the one with a content id that was computed for the
 * file, or else the one with its name.
 *
 * @throws `INVALID_RESPONSE`
 */
function matchResponse(
  stored: readonly UploadedFile[],
  names: readonly string[],
  facts: RequestFacts,
  expected: (index: number) => ExpectedCids | undefined,
): UploadedFile[] {
  const byBlock = new Map(stored.map((item) => [readBlockId(item.Hash), item]));
  const found = names.map((_, index) => {
    const block = expected(index)?.blocks.find((id) => byBlock.has(id));
    return block === undefined ? undefined : byBlock.get(block);
  });
  const taken = new Set(found);
  const byName = matchNames(
    stored.filter((item) => !taken.has(item)),
    names.filter((_, index) => !found[index]),
    facts,
  );
  return found.map((item, index) => {
    if (!item) return byName.shift() as UploadedFile;
    const Name = names[index] as string;
    // The content id shows which file it is, even if the node names another one.
    return item.Name !== Name && names.includes(item.Name) ? { ...item, Name } : item;
  });
}

/**
 * Returns the response's item of each file, in the order of `names`. A key that is saved for another file's content
 * id is lost, so names must match: exactly, or as a Kubo-like node reads them, which decodes `+` and `%41` in a name
 * to a space and an `A`; and no item may match two files. The item of an only file may have any name except the empty
 * one of the folder around it.
 *
 * @throws `INVALID_RESPONSE`
 */
function matchNames(stored: readonly UploadedFile[], names: readonly string[], facts: RequestFacts): UploadedFile[] {
  const [only] = stored;
  if (names.length === 1 && stored.length === 1 && only?.Name) return [only];
  const items = [...new Map(stored.map((file) => [`${file.Hash} ${file.Name}`, file])).values()];
  const ambiguous = findRepeated(items.map(({ Name }) => Name));
  const byName = new Map(items.flatMap((file) => (ambiguous.has(file.Name) ? [] : [[file.Name, file]])));
  // A name that the response contains exactly is not looked up in its decoded form.
  const expectedNames = names.map((name) => (byName.has(name) ? name : toNodeName(name)));
  const contested = findRepeated(expectedNames);
  return expectedNames.map((name, at) => {
    const file = contested.has(name) ? undefined : byName.get(name);
    if (!file) throw invalidResponse(facts, `The upload node's response does not name ${names[at]}`);
    return file;
  });
}

function findRepeated(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}
