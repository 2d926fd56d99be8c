import type { Context } from "hono";
import { type Env, Refusal } from "../http/json.ts";

const types = { raw: "application/vnd.ipld.raw", car: "application/vnd.ipld.car" } as const;

/** The media type of an archive as the gateway sends it. */
export const CAR_TYPE = `${types.car}; version=1; order=dfs; dups=n`;

/** The media type of a block. */
export const RAW_TYPE = types.raw;

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
