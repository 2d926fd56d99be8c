import type { Context, Hono } from "hono";
import { normalizeAddress } from "../auth/addresses.ts";
import { type Env, Refusal, readFields } from "../http/json.ts";
import type { Network } from "../network.ts";

/** Messages to sign, and API keys in exchange for their signatures. */
export function addKeyRoutes(app: Hono<Env>, { auth, attacks }: Network): void {
  const message = (c: Context<Env>) => {
    const messages = attacks.find("relay-message", { service: "api" }) ? auth.nodeMessages : auth.messages;
    return c.json(messages.current(readAddress(c.req.query("publicKey"))));
  };
  app.get("/api/auth/get_auth_message", message);
  app.get("/api/auth/get_message", message);

  app.post("/api/auth/create_api_key", async (c) => {
    const { publicKey, signedMessage } = await readFields(c);
    const address = readAddress(publicKey);
    const relay = attacks.find("relay-message", { service: "api" });
    if (typeof signedMessage !== "string" || !(relay || auth.messages.spend(address, signedMessage))) {
      throw new Refusal(401, "Invalid Signature");
    }
    relay?.onSignature({ address, signature: signedMessage });
    return c.json(auth.apiKeys.create(address));
  });
}

function readAddress(value: unknown): string {
  const address = normalizeAddress(value);
  if (address === undefined) throw new Refusal(400, "Invalid public Key");
  return address;
}
