/**
 * Plain Node; for Express: `app.post("/api/upload", getRequestListener(handleUpload))`, before any parser of bodies.
 */
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { handleUpload } from "./handle-upload.ts";

const listener = getRequestListener((request) =>
  new URL(request.url).pathname === "/api/upload" ? handleUpload(request) : new Response(null, { status: 404 }),
);
// The handler has a time limit of its own; that of Node would end uploads of more than 5 minutes.
const server = createServer({ requestTimeout: 0 }, listener);
server.listen(Number(process.env["PORT"] ?? 3000), () => console.log("listening"));
