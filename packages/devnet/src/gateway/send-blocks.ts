import { createHash } from "node:crypto";
import type { Context } from "hono";
import { CID } from "multiformats/cid";
import { type Block, encodeCar } from "../content/car.ts";
import { resolvePath, type TreeRequest, walkTree } from "../content/tree.ts";
import { type Env, Refusal } from "../http/json.ts";
import { type ContentRequest, describeAttachment, describeContent, type Gateway, respond } from "./respond.ts";

const types = { raw: "application/vnd.ipld.raw", car: "application/vnd.ipld.car" } as const;

/** The media type of an archive as the gateway sends it. */
const CAR_TYPE = `${types.car}; version=1; order=dfs; dups=n`;

/** The only value that is served of each parameter of an archive's media type; other orders are subsets of it. */
const carParameters = { version: ["1"], order: ["dfs", "unk"], dups: ["n"] };

/**
 * Reads which verifiable format a request is for; `undefined` for the file itself. The query precedes the header
 * `Accept` (trustless gateway specification).
 *
 * @throws Refusal 400 for an unknown format, 406 for archives of another kind.
 */
export function readRequestedFormat(c: Context<Env>): "raw" | "car" | undefined {
  const query = c.req.query("format");
  const accepted = readAccepted(c.req.header("accept") ?? "");
  const format = query ?? accepted?.format;
  if (format === undefined) return undefined;
  if (format !== "raw" && format !== "car") throw new Refusal(400, `Unsupported format ${format}`);
  if (format === "car") checkCarParameters(c, accepted?.parameters);
  return format;
}

function readAccepted(accept: string) {
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const format = type === types.raw ? "raw" : type === types.car ? "car" : undefined;
    if (format) return { format, parameters: new Map(parameters.map((pair) => pair.split("=") as [string, string])) };
  }
  return undefined;
}

function checkCarParameters(c: Context<Env>, accepted: ReadonlyMap<string, string> | undefined): void {
  for (const [name, served] of Object.entries(carParameters)) {
    const requested = c.req.query(`car-${name}`) ?? accepted?.get(name);
    if (requested !== undefined && !served.includes(requested)) {
      throw new Refusal(406, `Archives with ${name}=${requested} are not served`);
    }
  }
}

/** Sends the block at a content path. */
export async function sendBlock(gateway: Gateway, c: Context<Env>, request: ContentRequest): Promise<Response> {
  const { text, root, names, isImmutable } = request;
  const { cid } = await resolvePath(gateway.readBlock, root, names);
  const name = names.length === 0 ? text : cid.toV1().toString();
  const sent = tamperBlocks(gateway, cid.toString(), [{ cid, bytes: await gateway.readBlock(cid) }]);
  const { value: block } = await sent.next();
  const bytes: Uint8Array = block?.bytes ?? new Uint8Array(0);
  const headers = {
    ...describeContent(types.raw, `"${name}.raw"`, isImmutable),
    ...describeAttachment(`${name}.bin`),
    "Content-Length": bytes.byteLength,
  };
  return respond(c, { headers, readBody: () => [bytes] });
}

/** Sends an archive of the blocks that lead to the end of a content path, then of the requested ones below it. */
export async function sendCar(gateway: Gateway, c: Context<Env>, request: ContentRequest): Promise<Response> {
  const { text, root, names, isImmutable } = request;
  const tree = readTreeRequest(c);
  const { cid, blocks } = await resolvePath(gateway.readBlock, root, names);
  // a missing root is a 404; blocks below it are read later
  await gateway.readBlock(cid);
  const headers = {
    ...describeContent(CAR_TYPE, createEtag(cid, names, tree), isImmutable),
    ...describeAttachment(`${text}.car`),
    "Accept-Ranges": "none",
  };
  const sent = tamperBlocks(gateway, root.toString(), walkTree(gateway.readBlock, cid, tree, blocks));
  return respond(c, { headers, readBody: () => encodeCar(cid, sent) });
}

function createEtag(cid: CID, names: readonly string[], tree: TreeRequest): string {
  const { scope, bytes } = tree;
  const request = JSON.stringify([names, bytes?.from, bytes?.to]);
  const digest = createHash("sha256").update(request).digest("hex").slice(0, 16);
  return `W/"${cid}.car.${scope}.${digest}"`;
}

const scopes: readonly TreeRequest["scope"][] = ["block", "entity", "all"];

/**
 * Reads the parameters `dag-scope` and `entity-bytes` (trustless gateway specification).
 *
 * @throws Refusal 400 if one is malformed.
 */
function readTreeRequest(c: Context<Env>): TreeRequest {
  const scope = scopes.find((known) => known === (c.req.query("dag-scope") ?? "all"));
  if (!scope) throw new Refusal(400, "Invalid dag-scope");
  const range = c.req.query("entity-bytes");
  if (range === undefined) return { scope };
  const [, from, to] = /^(-?\d{1,15}):(-?\d{1,15}|\*)$/.exec(range) ?? [];
  if (from === undefined || to === undefined) throw new Refusal(400, "Invalid entity-bytes");
  return { scope: "entity", bytes: { from: Number(from), to: to === "*" ? undefined : Number(to) } };
}

/** Yields blocks, or what an attack by this gateway makes of them. */
async function* tamperBlocks(
  { attacks, index: gateway }: Gateway,
  requested: string,
  blocks: AsyncIterable<Block> | Iterable<Block>,
): AsyncGenerator<Block> {
  const attack = attacks.find("tamper-blocks", { cid: requested, gateway });
  let index = 0;
  for await (const block of blocks) {
    const changed = attack ? attack.change({ cid: block.cid.toString(), bytes: block.bytes }, index++) : [];
    if (!attack) yield block;
    else if (!changed) return;
    else for (const { cid, bytes } of changed) yield { cid: CID.parse(cid), bytes };
  }
}
