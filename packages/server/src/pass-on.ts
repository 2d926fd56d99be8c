import type { UploadedFiles } from "keeplight";
import { invalidSource, relay, type SourceFile, STORAGE_HEADER } from "keeplight/parts";
import { checkFiles } from "./check-files.ts";
import { uploadRefused, uploadTooLarge } from "./errors.ts";
import { countFormBytes, type OpenForm } from "./form.ts";
import type { ResolvedLimits } from "./limits.ts";
import { type Account, routeToNetwork, type Sent } from "./route.ts";

/**
 * Passes the files of a request on to the upload node while they arrive.
 *
 * @throws `INVALID_SOURCE`, `FILE_TOO_LARGE`, `UPLOAD_REFUSED`, `DUPLICATE_NAME`, `TIMEOUT`, `ABORTED`,
 * what `relay` throws
 */
export async function passOn(
  request: Request,
  form: OpenForm,
  limits: ResolvedLimits,
  account: Account,
): Promise<UploadedFiles> {
  const sent = readUploadRequest(request, limits);
  refuseAnnounced(request, limits);
  const files = checkFiles(form.files(limits), limits, sent.isEncrypted);

  async function* allFiles(first: SourceFile, end: AbortSignal): AsyncGenerator<SourceFile> {
    end.addEventListener("abort", form.close, { once: true });
    yield first;
    yield* files;
  }
  // No connection is opened for a request without a file.
  const { value: first } = await files.next();
  if (!first) throw invalidSource("it is empty");
  const { timeoutMs, idleTimeoutMs } = limits;
  const call = { signal: request.signal, timeoutMs, idleTimeoutMs, endpoints: account.endpoints };
  return relay({ files: (end) => allFiles(first, end), route: routeToNetwork(sent, account) }, call);
}

/** Refuses, unread, a body that announces more than a form with files of the limit takes. */
function refuseAnnounced({ headers }: Request, { maxBytes, maxFiles }: ResolvedLimits): void {
  const length = headers.get("content-length") ?? "0";
  if (!/^\d+$/.test(length)) throw invalidSource("its length is no number");
  if (Number(length) > maxBytes + countFormBytes(maxFiles)) throw uploadTooLarge(maxBytes);
}

const allowedValues = { "cid-version": ["0", "1"], "wrap-with-directory": ["false", "true"] } as const;

/**
 * Reads the options of an upload as `send` and `sendEncrypted` send them, and nothing else that a client might have added.
 *
 * @throws `INVALID_SOURCE`, `UPLOAD_REFUSED` for a folder that the limits exclude
 */
function readUploadRequest({ url, headers }: Request, { folders, storage: allowed }: ResolvedLimits): Sent {
  const { searchParams } = new URL(url);
  const query: Record<string, string> = {};
  for (const [name, values] of Object.entries(allowedValues)) {
    const value = searchParams.get(name);
    if (value === null) continue;
    if (!(values as readonly string[]).includes(value)) throw invalidSource(`${name} is not ${values.join(" or ")}`);
    query[name] = value;
  }
  if (query["wrap-with-directory"] === "true" && !folders) throw uploadRefused("folder");
  const isEncrypted = headers.get("encryption") === "true";
  const isText = isEncrypted && headers.get("mime-type") === "text/plain";
  const storage = headers.get(STORAGE_HEADER) ?? undefined;
  if (storage !== undefined && !allowed.includes(storage)) throw uploadRefused("storage");
  return { query, storage, isEncrypted, isText };
}
