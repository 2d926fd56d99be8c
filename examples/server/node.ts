/** Plain Node. */
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { handleResumable, isResumable } from "./handle-resumable.ts";
import { handleUpload } from "./handle-upload.ts";

const listener = getRequestListener((request) => {
  if (isResumable(request)) return handleResumable(request);
  return new URL(request.url).pathname === "/api/upload" ? handleUpload(request) : new Response(null, { status: 404 });
});
// The handlers have time limits of their own; that of Node would end uploads of more than 5 minutes.
const server = createServer({ requestTimeout: 0 }, listener);
server.listen(Number(process.env["PORT"] ?? 3000), () => console.log("listening"));
