import type { Random } from "./random.ts";
import type { NodeFiles, ReceivedRequest, WholeResponse } from "./services.ts";

/** How bad the network is during one history. */
export interface Climate {
  /** Probability that a request meets a fault. */
  faultRate: number;
  /** Faulty nodes, which may lose data: at most as many as the key's threshold tolerates. */
  faultyNodes: readonly number[];
  /** Probability that one of those responds wrongly. */
  misbehaviourRate: number;
}

/** What happens to one request. */
export interface Fate {
  name: string;
  /** Milliseconds until it arrives; for ever if it does not. */
  arrivesAfter: number;
  /** How often the service carries it out. */
  times: 0 | 1 | 2;
  /** Milliseconds until the response arrives; for ever if it does not. */
  respondsAfter: number;
  /** Whether the connection breaks where a message is lost, so that the client notices at once. */
  breaks: boolean;
  /** What the client receives instead of the service's response. */
  response?: WholeResponse;
  /** Whether it is carried out all the same if the client dies or gives up meanwhile. */
  outlivesClient: boolean;
}

/** How a bad key node treats a request. */
export type Misbehaviour = "swallow" | "refuse" | "fail" | "garbage" | "forge" | "forget" | "backup";

const QUICK_MS = 40;
/** More than the default time limit of a request. */
const SLOW_MS = 12_000;

/** Decides what happens to a request. */
export function drawFate(random: Random, { faultRate }: Climate, { service }: ReceivedRequest): Fate {
  const fate: Fate = {
    name: "ok",
    arrivesAfter: random.below(QUICK_MS),
    times: 1,
    respondsAfter: random.below(QUICK_MS),
    breaks: random.chance(0.6),
    outlivesClient: random.chance(0.5),
  };
  if (!random.chance(faultRate)) return fate;
  switch (random.below(6)) {
    case 0:
      return { ...fate, name: "request lost", times: 0, arrivesAfter: Number.POSITIVE_INFINITY, outlivesClient: false };
    case 1:
      return { ...fate, name: "response lost", respondsAfter: Number.POSITIVE_INFINITY };
    case 2:
      return { ...fate, name: "delayed", arrivesAfter: random.below(SLOW_MS) };
    case 3:
      return { ...fate, name: "duplicated", times: 2 };
    case 4:
      return { ...fate, name: "gateway error after", response: createError(random, false) };
    default:
      return { ...fate, name: "error before", times: 0, response: createError(random, service !== "api") };
  }
}

function createError(random: Random, mayRefuse: boolean): WholeResponse {
  const status = random.pick(mayRefuse ? [500, 502, 503, 429] : [500, 502, 503]);
  const retryAfter = random.chance(0.5) ? { "retry-after": "1" } : {};
  return random.chance(0.5)
    ? toResponse(status, "<html>Bad gateway</html>", retryAfter)
    : toResponse(status, '{"message":"Try again later"}', retryAfter);
}

/** Decides whether a faulty node responds wrongly, and how. */
export function drawMisbehaviour(
  random: Random,
  { faultyNodes, misbehaviourRate }: Climate,
  node: number | undefined,
  method: string,
  path: string,
) {
  if (node === undefined || !faultyNodes.includes(node) || !random.chance(misbehaviourRate)) return undefined;
  const isRead = method === "POST" && path.startsWith("/api/retrieveSharedKey/");
  const kinds: readonly Misbehaviour[] = isRead
    ? ["refuse", "fail", "garbage", "forge", "forge", "forget", "backup"]
    : ["swallow", "swallow", "refuse", "fail", "garbage"];
  return random.pick(kinds);
}

/** Responds as a faulty node does. */
export async function misbehave(
  kind: Misbehaviour,
  request: ReceivedRequest,
  files: NodeFiles,
  serve: (options: { isForged: boolean }) => Promise<WholeResponse>,
): Promise<WholeResponse> {
  switch (kind) {
    case "swallow":
      return toResponse(200, '{"message":"success","data":{"id":"1"}}');
    case "refuse":
      return toResponse(403, '{"message":{"message":"Access Denied"}}');
    case "fail":
      return toResponse(500, '{"message":"Internal Server Error"}');
    case "garbage":
      return toResponse(200, "<html>Welcome</html>");
    case "forget":
      return toResponse(200, '{"payload":null}');
    case "forge":
      return serve({ isForged: true });
    case "backup":
      return withBackup(JSON.parse(Buffer.from(request.body).toString()).cid, files, serve);
  }
}

/** Serves a request from what the node stored first of a file. */
async function withBackup(
  cid: string,
  files: NodeFiles,
  serve: (options: { isForged: boolean }) => Promise<WholeResponse>,
): Promise<WholeResponse> {
  const [latest, first] = [files.get(cid), files.first(cid)];
  if (!latest || !first) return serve({ isForged: false });
  files.set(cid, first);
  try {
    return await serve({ isForged: false });
  } finally {
    files.set(cid, latest);
  }
}

function toResponse(status: number, text: string, headers: Record<string, string> = {}): WholeResponse {
  const type = text.startsWith("<") ? "text/html" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body: Buffer.from(text) };
}
