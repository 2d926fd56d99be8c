/** Fastify: bodies stay unread, and responses are the handlers' own. */
import { getRequestListener } from "@hono/node-server";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { handleResumable } from "./handle-resumable.ts";
import { handleUpload } from "./handle-upload.ts";

const app = Fastify({ requestTimeout: 0 });
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", (_request, _payload, done) => done(null));

const answerBy = (handle: (request: Request) => Promise<Response>) => {
  const listener = getRequestListener(handle);
  return (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    void listener(request.raw, reply.raw);
  };
};
app.post("/api/upload", answerBy(handleUpload));
for (const url of ["/api/uploads", "/api/uploads/:id"]) {
  app.route({ method: ["POST", "GET", "HEAD", "PATCH", "DELETE", "OPTIONS"], url, handler: answerBy(handleResumable) });
}

await app.listen({ port: Number(process.env["PORT"] ?? 3000) });
console.log("listening");
