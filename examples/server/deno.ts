/** Deno: `deno run --allow-net --allow-env --allow-read deno.ts`. */
import process from "node:process";
import { handleUpload } from "./handle-upload.ts";

declare const Deno: { serve(options: object, handler: (request: Request) => Response | Promise<Response>): unknown };

Deno.serve({ port: Number(process.env["PORT"] ?? 3000), onListen: () => console.log("listening") }, (request) =>
  new URL(request.url).pathname === "/api/upload" ? handleUpload(request) : new Response(null, { status: 404 }),
);
