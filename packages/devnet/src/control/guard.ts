import type { MiddlewareHandler } from "hono";
import { type Address, createHostCheck } from "../host.ts";
import { type Env, Refusal } from "../http/json.ts";

/**
 * Refuses what pages could send that a browser of this machine has open: requests from pages of other hosts, and requests by
 * a name that leads here only in their browser (DNS rebinding). Changes have to be JSON, which no page of another host can
 * send without asking first.
 */
export function createGuard(address: Address): MiddlewareHandler<Env> {
  const isOwn = createHostCheck(address);
  return async (c, next) => {
    c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
    const { host, origin } = c.env.incoming.headers;
    const hostname = host === undefined ? undefined : getHostname(`http://${host}`);
    if (hostname === undefined || !isOwn(hostname)) {
      throw new Refusal(403, "Unknown host: the devnet's option publicHost sets its name");
    }
    if (origin !== undefined && getHostname(origin) !== hostname) {
      throw new Refusal(403, "Pages of other hosts are refused");
    }
    const isChange = c.req.method !== "GET" && c.req.method !== "HEAD";
    if (isChange && !/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "")) {
      throw new Refusal(415, "Changes have the content type application/json");
    }
    await next();
  };
}

function getHostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
