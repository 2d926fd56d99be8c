import type { Context, Hono } from "hono";
import { createJsonApp, type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { charge, NETWORK_ID, SERVICE_ADDRESS } from "./charge.ts";
import { addYear, STORAGE_DAYS } from "./paid-files.ts";
import { toPaymentKey } from "./payment.ts";
import { quote } from "./price.ts";
import { storeBody } from "./store-body.ts";

/**
 * Creates the service that stores one file for each payment (x402), for a year, without an account.
 *
 * @param gateway - base URL of the gateway that its responses name
 */
export function createX402Service(network: Network, gateway: string): Hono<Env> {
  const app = createJsonApp();
  app.get("/health", (c) => c.html("OK"));
  addUploadRoutes(app, network, gateway);
  addRenewalRoutes(app, network);
  return app;
}

function addUploadRoutes(app: Hono<Env>, network: Network, gateway: string): void {
  const { till, options } = network;
  const { maxFileBytes } = options.x402;
  const tooLarge = `File exceeds maximum size of ${Math.round(maxFileBytes / 1024 ** 2)} MB`;

  app.get("/api/upload/price", (c) => {
    const size = Number.parseInt(c.req.query("size") ?? "", 10);
    if (!(size > 0)) throw new Refusal(400, "Provide 'size' query parameter (file size in bytes)", "error");
    if (size > maxFileBytes) return c.json({ error: tooLarge, maxFileSizeBytes: maxFileBytes }, 400);
    const terms = { storagePeriodDays: STORAGE_DAYS, network: NETWORK_ID, payTo: SERVICE_ADDRESS };
    return c.json({ ...quote(size, till.usdPerMiB).fields, ...terms });
  });

  app.post("/api/upload", async (c) => {
    const size = Number.parseInt(c.req.header("content-length") ?? "", 10);
    if (!(size > 0)) throw new Refusal(400, "Content-Length header is required", "error");
    if (size > maxFileBytes) throw new Refusal(413, tooLarge, "error");
    const description = "Upload file to Lighthouse IPFS storage (first year included)";
    const offer = { purpose: "upload", size, description, failure: "Upload failed" };
    return charge(c, network, offer, ({ authorization }) =>
      respondTo(c, offer.failure, async () => {
        const fileName = c.req.header("x-file-name") || `upload-${Date.now()}.bin`;
        const { cid, bytes } = await storeBody(network, c.env.incoming, size, SERVICE_ADDRESS.toLowerCase());
        const sold = { publicKey: authorization.from, cid, size: bytes, name: fileName };
        const { file, expiresAt } = till.files.add(toPaymentKey(authorization), sold);
        return {
          success: true,
          id: file.id,
          cid,
          fileName,
          mimeType: c.req.header("content-type") ?? "application/octet-stream",
          fileSizeBytes: bytes,
          expiresAt,
          storagePeriodDays: STORAGE_DAYS,
          publicKey: file.publicKey,
          fileState: file.fileState,
          ipfsUrl: `${gateway}/ipfs/${cid}`,
        };
      }),
    );
  });
}

function addRenewalRoutes(app: Hono<Env>, network: Network): void {
  const { till } = network;
  const notFound = (c: Context<Env>, id: string) => c.json({ error: "File record not found", id }, 404);

  app.get("/api/renew/price", (c) => {
    const id = (c.req.query("id") ?? "").trim();
    if (id === "") throw new Refusal(400, "Provide 'id' query parameter (file record id from upload)", "error");
    const file = till.files.find(id);
    if (!file) return notFound(c, id);
    return c.json({
      id,
      cid: file.cid,
      fileName: file.name,
      ...quote(file.size, till.usdPerMiB).fields,
      storagePeriodDays: STORAGE_DAYS,
      currentExpiresAt: file.expiresAt,
      network: NETWORK_ID,
      payTo: SERVICE_ADDRESS,
    });
  });

  app.post("/api/renew", async (c) => {
    const id = (c.req.header("x-file-id") ?? "").trim();
    if (id === "") throw new Refusal(400, "x-file-id header is required", "error");
    const file = till.files.find(id);
    if (!file) return notFound(c, id);
    const { cid, name: fileName, size, publicKey } = file;
    const description = "Renew yearly storage for an existing file (no reupload)";
    const offer = { purpose: `renew ${id}`, size, description, failure: "Renew failed" };
    return charge(c, network, offer, async ({ authorization }) => {
      if (authorization.from.toLowerCase() !== publicKey) {
        return c.json({ error: "Only the original uploader can renew this file", id }, 403);
      }
      // it may have been renewed while this payment was verified
      const { expiresAt: previousExpiresAt } = till.files.find(id) ?? file;
      till.files.renew(toPaymentKey(authorization), file);
      return c.json({
        success: true,
        id,
        cid,
        fileName,
        fileSizeBytes: size,
        previousExpiresAt,
        expiresAt: addYear(previousExpiresAt),
        storagePeriodDays: STORAGE_DAYS,
        publicKey,
      });
    });
  });
}

/** Responds with what `serve` returns. Its errors are responses too: the caller decides by their status what is paid. */
async function respondTo(c: Context<Env>, error: string, serve: () => Promise<object>): Promise<Response> {
  try {
    return c.json(await serve());
  } catch (cause) {
    if (cause instanceof Refusal) return c.json(cause.body, cause.status);
    return c.json({ error, message: cause instanceof Error ? cause.message : error }, 500);
  }
}
