import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createUploadHandler } from "@keeplight/server";

// Serves an upload handler of the built package in its own process, so that its peak memory can be measured.
const [apiKey = "", endpoints = "{}"] = process.argv.slice(2);
const handle = createUploadHandler({
  apiKey,
  endpoints: JSON.parse(endpoints),
  authorize: () => true,
  limits: { maxBytes: 2 ** 40 },
});
const server = createServer({ requestTimeout: 0 }, getRequestListener(handle));
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${server.address().port}/api/upload`));
process.on("message", () => process.send?.(Math.round(process.resourceUsage().maxRSS / 1024)));
