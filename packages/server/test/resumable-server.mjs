import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createResumableHandler } from "@keeplight/server/resumable";

// Serves resumable uploads with the built package in its own process, so that it can be killed, and its memory measured.
const [apiKey = "", endpoints = "{}", folder = "", port = "0"] = process.argv.slice(2);
const handle = createResumableHandler({
  apiKey,
  endpoints: JSON.parse(endpoints),
  folder,
  authorize: () => true,
  limits: { maxBytes: 2 ** 40 },
});
await handle.resume();
const server = createServer({ requestTimeout: 0 }, getRequestListener(handle));
server.listen(Number(port), "127.0.0.1", () => process.send?.(server.address().port));
process.on("message", () => process.send?.(Math.round(process.resourceUsage().maxRSS / 1024)));
