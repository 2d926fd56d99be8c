/** Express: before any parser of bodies. */
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { handleResumable } from "./handle-resumable.ts";
import { handleUpload } from "./handle-upload.ts";

const app = express();
app.post("/api/upload", getRequestListener(handleUpload));
app.all(["/api/uploads", "/api/uploads/:id"], getRequestListener(handleResumable));

const server = createServer({ requestTimeout: 0 }, app);
server.listen(Number(process.env["PORT"] ?? 3000), () => console.log("listening"));
