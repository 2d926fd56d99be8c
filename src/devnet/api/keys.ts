import type { Context, Hono } from "hono";
import { normalizeAddress } from "../auth/addresses.ts";
import { type Env, Refusal, readFields } from "../http/json.ts";
import type { Network } from "../network.ts";

/** Messages to sign, and API keys in exchange for their signatures. */
export function addKeyRoutes(app: Hono<Env>, { auth }: Network): void {
  const message = (c: Context<Env>) => c.json(auth.messages.current(readAddress(c.req.query("publicKey"))));
  app.get("/api/auth/get_auth_message", message);
  app.get("/api/auth/get_message", message);

  app.post("/api/auth/create_api_key", async (c) => {
    const { publicKey, signedMessage } = await readFields(c);
    const address = readAddress(publicKey);
    if (typeof signedMessage !== "string" || !auth.messages.spend(address, signedMessage)) {
      throw new Refusal(401, "Invalid Signature");
    }
    return c.json(auth.apiKeys.create(address));
  });
}

function readAddress(value: unknown): string {
  const address = normalizeAddress(value);
  if (address === undefined) throw new Refusal(400, "Invalid public Key");
  return address;
}
