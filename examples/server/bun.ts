/** Bun: `bun run bun.ts`. */
import { handleUpload } from "./handle-upload.ts";

declare const Bun: { serve(options: object): unknown };

Bun.serve({
  port: Number(process.env["PORT"] ?? 3000),
  // Those of the handler apply; Bun would end at 128 MiB, and after 10 seconds without a byte.
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  idleTimeout: 0,
  routes: { "/api/upload": handleUpload },
});
console.log("listening");
