import { basename } from "node:path";
import { stdin } from "node:process";
import { Readable } from "node:stream";
import type { AccessOptions, NamedStream, PayPerUploadOptions, Progress, Source, UploadedFile } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";
import { openAccountKit } from "../steps/authority.ts";
import { addToDrive, readDriveFolder } from "../steps/drive-uploads.ts";
import { readConditions } from "../steps/inputs.ts";
import { agreeToPay, describeReceipt, formatUsdc, quoteUpload, type UploadQuote } from "../steps/pay-per-upload.ts";

export async function up(invocation: Invocation): Promise<void> {
  const { output, isDryRun, flag, list } = invocation;
  const paths = list("path");
  const encrypted = flag("encrypt");
  const folder = await readDriveFolder(invocation);
  const access = await readAccess(invocation, encrypted);
  const price = await quoteUpload(invocation, paths);
  if (isDryRun) return quote(invocation, paths, price);
  const payPerUpload = price && (await agreeToPay(invocation, price));
  const send = !encrypted ? sendPlain : folder === undefined ? sendEncrypted : sendHidden;
  const stored = await send(invocation, paths, access, payPerUpload);
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
  if (file && shareTo.length > 0) throw new UsageError("--share-to and --conditions exclude each other");
  if (file) return readConditions(file);
  const [first, ...others] = shareTo;
  return first === undefined ? {} : { shareTo: [first, ...others] };
}

function common({ option, flag, output }: Invocation, paths: readonly string[]) {
  const label = paths.length === 1 ? basename(paths[0] ?? "") : `${paths.length} paths`;
  return {
    name: option("name"),
    wrapWithDirectory: flag("wrap"),
    verifyCid: flag("verify"),
    storage: option("storage"),
    checkRoom: flag("checkRoom") || undefined,
    onProgress: (progress: Progress) => output.progress(label, progress),
  };
}

/** A payment lets one file in, without an API key. */
type Payment = PayPerUploadOptions | undefined;

async function sendPlain(invocation: Invocation, paths: readonly string[], _: AccessOptions, payPerUpload: Payment) {
  const source = toSource(invocation, paths);
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
  paths: readonly string[],
  access: AccessOptions,
  payPerUpload: Payment,
): Promise<UploadedFile[]> {
  const { wrapWithDirectory: _, ...options } = common(invocation, paths);
  const source = toSource(invocation, paths);
  const upload = { ...options, ...access, ...chooseKit(invocation), payPerUpload };
  return addToDrive(invocation, source, upload, paths.includes("-"));
}

async function sendEncrypted(
  invocation: Invocation,
  paths: readonly string[],
  access: AccessOptions,
  payPerUpload: Payment,
) {
  const { account, load, keyCall } = invocation;
  const source = toSource(invocation, paths);
  const payment = payPerUpload ? { payPerUpload } : { apiKey: await account.apiKey() };
  const signer = await account.ownSigner();
  const options = {
    ...keyCall,
    ...common(invocation, paths),
    ...access,
    ...chooseKit(invocation),
    journal: await invocation.journal({ kind: "upload", isReadOnce: paths.includes("-") }),
  };
  const { uploadEncrypted } = await load();
  return uploadEncrypted(source, { ...options, signer, ...payment });
}

function toSource({ option, flag }: Invocation, paths: readonly string[]): Source {
  const sources = paths.map((path): string | NamedStream => {
    if (path !== "-") return path;
    if (flag("privateKeyStdin")) throw new UsageError("Standard input cannot be both the private key and a file");
    return { name: option("name") ?? "stdin", stream: Readable.toWeb(stdin) as ReadableStream<Uint8Array> };
  });
  const [only] = sources;
  return sources.length === 1 && only !== undefined ? only : sources;
}

async function quote(invocation: Invocation, paths: readonly string[], price?: UploadQuote): Promise<void> {
  const { load, call, account, output } = invocation;
  if (paths.includes("-")) throw new UsageError("The size of standard input is unknown: --dry-run takes files");
  const { getQuote } = await load();
  const apiKey = price ? undefined : await account.tryApiKey();
  const { metaData, totalSize, usage } = await getQuote([...paths], {
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
