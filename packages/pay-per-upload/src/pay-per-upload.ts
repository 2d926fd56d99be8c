import type { UploadPayer } from "keeplight";
import { invalidOption, resolveChanges, resolveOptions, type UploadPayment } from "keeplight/parts";
import { nameByKey, type Order } from "./authorization.ts";
import { type Paying, type PayPerUploadOptions, payingSchema, toNetwork } from "./options.ts";
import { startOrder } from "./order.ts";
import { checkFile, findPaid, PATH, uploadPaid } from "./paid-upload.ts";
import { uploadPlain } from "./upload-plain.ts";

/**
 * Says how one upload is paid for, instead of by an account: the option `payPerUpload` of `upload`, `uploadText`,
 * `uploadBuffer`, `uploadEncrypted` and `uploadTextEncrypted`, and of resuming one of them.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const [file] = await upload("./photo.jpg", { payPerUpload: payPerUpload({ signer, maxAmount: 100_000 }) });
 */
export function payPerUpload(options: PayPerUploadOptions): UploadPayer {
  return createPayment(resolveChanges(payingSchema, options));
}

/** @param given - the options that are not left out */
function createPayment(given: ReturnType<typeof resolveChanges<typeof payingSchema>>): UploadPayment {
  const resolved = resolveOptions(payingSchema, given);
  const paying: Paying = { ...resolved, network: toNetwork(resolved.network) };
  const { signer: _, ...terms } = given;
  return Object.freeze<UploadPayment>({
    stored: { ...terms, maxAmount: String(paying.maxAmount) },
    withStored({ network, orderId, waitMs }) {
      const stored = resolveChanges(payingSchema, { network, orderId, waitMs });
      return createPayment({ ...stored, ...given });
    },
    route,
    checkFile,
    upload: (file, progress, call) => uploadPlain({ file, progress }, paying, call),
    startOrder: async (masterKey, call) => startOrder(await nameByKey(masterKey), paying, call),
    uploadEncrypted: ({ order, ...paid }, call) => uploadPaid({ ...paid, order: order as Order }, paying, call),
    find: ({ order, ...paid }, call) => findPaid({ ...paid, order: order as Order }, paying, call),
  });
}

/** Returns the service that a file is paid at; throws `INVALID_OPTION`. */
function route(options: Parameters<UploadPayment["route"]>[0]) {
  const { endpoints, apiKey, via, cidVersion, wrapWithDirectory, storage } = options;
  if (apiKey !== undefined || via !== undefined) throw invalidOption("payPerUpload", "no apiKey and no via beside it");
  if (cidVersion === 0) throw invalidOption("cidVersion", "1, beside payPerUpload");
  if (wrapWithDirectory) throw invalidOption("wrapWithDirectory", "false, beside payPerUpload");
  if (storage !== undefined && storage !== "walrus") throw invalidOption("storage", `"walrus", beside payPerUpload`);
  return { base: endpoints.x402, path: PATH };
}
