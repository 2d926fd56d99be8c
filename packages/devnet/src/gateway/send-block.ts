import type { Context } from "hono";
import { parseCid } from "../content/cids.ts";
import { type Env, Refusal } from "../http/json.ts";
import { resolveNames } from "./content-path.ts";
import type { ContentRequest, Gateway } from "./gateway.ts";
import { RAW_TYPE } from "./requested-format.ts";
import { describeAttachment, describeContent, respond } from "./respond.ts";
import { tamperBlocks } from "./tamper-blocks.ts";

/** Sends the block at a content path. */
export async function sendBlock(gateway: Gateway, c: Context<Env>, request: ContentRequest): Promise<Response> {
  const { text, root, names, isImmutable } = request;
  const key = await resolveNames(gateway.content, root.toV1().toString(), names);
  const cid = names.length === 0 ? root : parseCid(key);
  if (!cid) throw new Refusal(404, "Not Found");
  const name = names.length === 0 ? text : key;
  let bytes: Uint8Array = new Uint8Array(0);
  for await (const block of tamperBlocks(gateway, key, [{ cid, bytes: await gateway.readBlock(cid) }])) {
    bytes = block.bytes;
    break;
  }
  const headers = {
    ...describeContent(RAW_TYPE, `"${name}.raw"`, isImmutable),
    ...describeAttachment(`${name}.bin`),
    "Content-Length": bytes.byteLength,
  };
  return respond(c, { headers, readBody: () => [bytes] });
}
