import { basename } from "node:path";
import type { AccessOptions, Progress, Source, UploadedFile, UploadPayer } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";
import { openAccountKit } from "../steps/authority.ts";
import { addToDrive, readDriveFolder } from "../steps/drive-uploads.ts";
import { readConditions } from "../steps/inputs.ts";
import { agreeToPay, describeReceipt, formatUsdc, quoteUpload, type UploadQuote } from "../steps/pay-per-upload.ts";
import { isFolder, readSources } from "../steps/upload-sources.ts";

export async function up(invocation: Invocation): Promise<void> {
  const { output, isDryRun, flag, list } = invocation;
  const paths = list("path");
  const encrypted = flag("encrypt");
  const folder = await readDriveFolder(invocation);
  const access = await readAccess(invocation, encrypted);
  const price = await quoteUpload(invocation, paths);
  if (isDryRun && paths.includes("-")) {
    throw new UsageError("The size of standard input is unknown: --dry-run takes files");
  }
  const source = await readSources(invocation, paths);
  if (isDryRun) return quote(invocation, source, price);
  const payPerUpload = price && (await agreeToPay(invocation, price));
  const send = !encrypted ? sendPlain : folder === undefined ? sendEncrypted : sendHidden;
  const stored = await send(invocation, { source, paths }, access, payPerUpload);
  for (const { Name, Hash, Size, storage, nodesMissing, receipt } of stored) {
    const item = { name: Name, cid: Hash, size: toSize(Size), encrypted, storage, nodesMissing, receipt };
    output.item(item, `${Hash}  ${clean(Name)}`, Hash);
    if (receipt) output.note(describeReceipt(receipt));
  }
  const missing = stored.filter(({ nodesMissing }) => nodesMissing);
  if (missing.length > 0) output.warn("Some key nodes have no shard yet. keeplight repair saves one on each.");
  const count = stored.length;
  output.result({ count });
  const files = count === 1 ? "1 file is stored" : `${count} files are stored`;
  output.note(`${files}${encrypted ? "" : ", open to everyone"}.`);
}

async function readAccess({ option, options }: Invocation, encrypted: boolean): Promise<AccessOptions> {
  const shareTo = options("shareTo");
  const file = option("conditions");
  if (!encrypted && (shareTo.length > 0 || file || option("recovery"))) {
    throw new UsageError("Only encrypted files are shared, have conditions, and are in a recovery kit: add -e");
  }
  if (option("recoveryTo") && !option("recovery")) throw new UsageError("--recovery-to takes --recovery beside it");
  if (file && shareTo.length > 0) throw new UsageError("--share-to and --conditions exclude each other");
  if (file) return readConditions(file);
  const [first, ...others] = shareTo;
  return first === undefined ? {} : { shareTo: [first, ...others] };
}

function common({ option, flag, output }: Invocation, paths: readonly string[]) {
  const label = paths.length === 1 ? basename(paths[0] ?? "") : `${paths.length} paths`;
  return {
    wrapWithDirectory: flag("wrap"),
    verifyCid: flag("verify"),
    storage: option("storage"),
    checkRoom: flag("checkRoom") || undefined,
    onProgress: (progress: Progress) => output.progress(label, progress),
  };
}

/** What is sent, and the paths that it is of, as they were typed. */
interface Sources {
  source: Source;
  paths: readonly string[];
}

/** A payment lets one file in, without an API key. */
type Payment = UploadPayer | undefined;

async function sendPlain(invocation: Invocation, { source, paths }: Sources, _: AccessOptions, payPerUpload: Payment) {
  const options = common(invocation, paths);
  if (!payPerUpload) return (await openAccountKit(invocation)).upload(source, options);
  const { upload } = await invocation.load();
  return upload(source, { ...invocation.call, ...options, payPerUpload });
}

/** The recovery kit that the keys are added to, if there is one. */
function chooseKit({ option }: Invocation) {
  const recovery = option("recovery");
  return recovery === undefined ? { recovery } : { recovery, recoveryTo: option("recoveryTo") ?? "." };
}

/** Adds encrypted files to the drive, so that the network sees no names. */
async function sendHidden(
  invocation: Invocation,
  { source, paths }: Sources,
  access: AccessOptions,
  payPerUpload: Payment,
): Promise<UploadedFile[]> {
  const { wrapWithDirectory: _, ...options } = common(invocation, paths);
  const upload = { ...options, ...access, ...chooseKit(invocation), payPerUpload };
  return addToDrive(invocation, source, upload, paths.includes("-"));
}

async function sendEncrypted(
  invocation: Invocation,
  { source, paths }: Sources,
  access: AccessOptions,
  payPerUpload: Payment,
) {
  const { account, load, keyCall } = invocation;
  const payment = payPerUpload ? { payPerUpload } : { apiKey: await account.apiKey() };
  const signer = await account.ownSigner();
  const options = {
    ...keyCall,
    ...common(invocation, paths),
    ...access,
    ...chooseKit(invocation),
    journal: await invocation.journal({ kind: "upload", isReadOnce: paths.includes("-") }),
  };
  const { uploadEncrypted, uploadEncryptedFolder } = await load();
  const isTree = !payPerUpload && !options.wrapWithDirectory && paths.length === 1 && (await isFolder(paths[0] ?? ""));
  if (!isTree) return uploadEncrypted(source, { ...options, signer, ...payment });
  // Its manifest has the paths, which the names of its files do not.
  const { encryptedSize } = await import("keeplight/parts");
  const { cid, name, size, files } = await uploadEncryptedFolder(source, { ...options, signer, ...payment });
  const { storage } = options;
  const toStored = (Name: string, Hash: string, bytes: number): UploadedFile => ({
    ...{ Name, Hash, Size: String(bytes) },
    ...(storage !== undefined && { storage }),
  });
  const stored = files.map((file) => toStored(file.path, file.cid, encryptedSize(file.size)));
  return [toStored(name, cid, size), ...stored];
}

async function quote(invocation: Invocation, source: Source, price?: UploadQuote): Promise<void> {
  const { load, call, account, output } = invocation;
  const { getQuote } = await load();
  const apiKey = price ? undefined : await account.tryApiKey();
  const { metaData, totalSize, usage } = await getQuote(source, {
    ...call,
    apiKey,
    storage: invocation.option("storage"),
  });
  for (const { fileName: name, fileSize: size } of metaData) {
    const item = { name, cid: null, size, encrypted: invocation.flag("encrypt") };
    output.item(item, `${formatBytes(size).padStart(10)}  ${clean(name)}`, clean(name));
  }
  const cost = price ? `, ${formatUsdc(price.amount)} for ${price.days} days` : "";
  const sum = `${metaData.length} files, ${formatBytes(totalSize)}${cost}; nothing was sent`;
  if (usage && usage.dataLeft < 0) output.warn(`The account lacks ${formatBytes(-usage.dataLeft)}: keeplight pay`);
  const result = { count: metaData.length, bytes: totalSize, dataLeft: usage?.dataLeft, price: price?.amount };
  output.result(result, sum);
}

function toSize(size: string | undefined): number | null {
  const bytes = Number(size);
  return size === undefined || size === "" || !Number.isSafeInteger(bytes) ? null : bytes;
}
