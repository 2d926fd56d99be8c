import { wait } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import type { SigningOptions } from "../../validation/sign-in-message.ts";
import { type Signer, signWithSigner } from "../../validation/signer.ts";
import type { KeyNodes } from "../nodes/node-client.ts";
import { type Jwt, kavachGetAuthMessage, kavachGetJwt } from "./auth-calls.ts";

/**
 * How many messages are signed at most. Other processes that sign in with the same address use messages up; each that
 * does so has succeeded, so this many of them at once are no problem.
 */
const ATTEMPTS = 8;

/** A sign-in, and the signature by which it was made. */
export interface SignedIn {
  jwt: Jwt;
  message: string;
  signature: string;
}

/**
 * Signs the nodes' current message and exchanges the signature for a JWT. Where another process has used the message up
 * between its being fetched and its signature being sent, the next message is signed after a random wait.
 *
 * @throws `INVALID_SIGNATURE`, `SIGNATURE_REJECTED`, `UNEXPECTED_MESSAGE` and what every request may throw
 */
export async function signIn(
  signer: Signer,
  address: string,
  { call, attempts, retryMs }: KeyNodes,
  signing: SigningOptions,
): Promise<SignedIn> {
  const options = { ...call, attempts, retryMs };
  for (let attempt = 1; ; attempt++) {
    const { message } = await kavachGetAuthMessage(address, options);
    const signature = await signWithSigner(signer, message, { ...signing, signal: call.signal });
    try {
      return { jwt: await kavachGetJwt(address, { ...options, signature }), message, signature };
    } catch (error) {
      const refused = isKeeplightError(error) && error.code === "INVALID_SIGNATURE";
      if (!refused || attempt === ATTEMPTS) throw error;
      // An unused message was refused because of the signature.
      if ((await kavachGetAuthMessage(address, options)).message === message) throw error;
    }
    await wait(Math.random() * retryMs * attempt, call.signal);
  }
}
