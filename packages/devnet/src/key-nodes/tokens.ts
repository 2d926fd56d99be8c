import type { Hono } from "hono";
import { normalizeAddress } from "../auth/addresses.ts";
import { type Env, Refusal, readFields } from "../http/json.ts";
import type { Network } from "../network.ts";
import { readAddress } from "./caller.ts";

/** Messages to sign, and tokens in exchange for their signatures and for refresh tokens. */
export function addTokenRoutes(app: Hono<Env>, { auth, attacks }: Network): void {
  app.get("/api/message/:address", (c) => {
    const address = normalizeAddress(c.req.param("address"));
    if (address === undefined) throw new Refusal(400, "Invalid address");
    const messages = attacks.find("relay-message", { service: "keyNodes" }) ? auth.messages : auth.nodeMessages;
    return c.json([{ message: messages.current(address) }]);
  });

  app.post("/api/message/get-jwt", async (c) => {
    const { address: claimed, signature } = await readFields(c);
    const address = readAddress(claimed);
    const relay = attacks.find("relay-message", { service: "keyNodes" });
    if (typeof signature !== "string" || !(relay || auth.nodeMessages.spend(address, signature))) {
      throw new Refusal(401, "Invalid Signature");
    }
    relay?.onSignature({ address, signature });
    return c.json(await auth.jwts.issue(address));
  });

  app.put("/api/message/get-jwt", async (c) => {
    const { address: claimed, refreshToken } = await readFields(c);
    const address = readAddress(claimed);
    const pair = typeof refreshToken === "string" ? await auth.jwts.refresh(address, refreshToken) : undefined;
    if (!pair) throw new Refusal(406, "Invalid refresh token");
    return c.json(pair);
  });
}
