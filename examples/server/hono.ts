/** Hono, here in Node; without the resumable uploads, `app.fetch` runs in Bun, Deno and others as it is. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { handleResumable } from "./handle-resumable.ts";
import { handleUpload } from "./handle-upload.ts";

const app = new Hono();
app.post("/api/upload", ({ req }) => handleUpload(req.raw));
app.all("/api/uploads/*", ({ req }) => handleResumable(req.raw));

const options = { fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000), serverOptions: { requestTimeout: 0 } };
serve(options, () => console.log("listening"));
