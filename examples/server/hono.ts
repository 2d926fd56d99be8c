/** Hono, here in Node; `app.fetch` runs in Bun, Deno and others as it is. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { handleUpload } from "./handle-upload.ts";

const app = new Hono();
app.post("/api/upload", ({ req }) => handleUpload(req.raw));

const options = { fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000), serverOptions: { requestTimeout: 0 } };
serve(options, () => console.log("listening"));
