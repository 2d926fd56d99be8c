import { wait } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { signWithSigner } from "../../validation/sign.ts";
import type { SigningOptions } from "../../validation/sign-in-message.ts";
import type { Signer } from "../../validation/signer.ts";
import type { KeyNodes } from "../nodes/node-client.ts";
import { fetchNodeMessage, type Jwt, requestJwt } from "./auth-calls.ts";

/**
 * Maximum number of messages to sign. Each sign-in of another process with the same address uses up a message, so this
 * many of them may run at once.
 */
const MAX_ATTEMPTS = 8;

/** A sign-in and its signature. */
export interface SignedIn {
  jwt: Jwt;
  message: string;
  signature: string;
}

/**
 * Signs the nodes' current message and exchanges the signature for a JWT. If another process uses the message up before
 * the signature is sent, the next message is signed after a random wait.
 *
 * @throws `INVALID_SIGNATURE`, `SIGNATURE_REJECTED`, `UNEXPECTED_MESSAGE` and what every request may throw
 */
export async function signIn(
  signer: Signer,
  address: string,
  nodes: KeyNodes,
  signing: SigningOptions,
): Promise<SignedIn> {
  const { call, retryMs } = nodes;
  for (let attempt = 1; ; attempt++) {
    const message = await fetchNodeMessage(address, nodes);
    const signature = await signWithSigner(signer, message, "keyNodes", { ...signing, signal: call.signal });
    try {
      return { jwt: await requestJwt(nodes, { address, signature }), message, signature };
    } catch (error) {
      const refused = isKeeplightError(error, "INVALID_SIGNATURE");
      if (!refused || attempt === MAX_ATTEMPTS) throw error;
      // If the message is still unused, the signature was refused for itself.
      if ((await fetchNodeMessage(address, nodes)) === message) throw error;
    }
    await wait(Math.random() * retryMs * attempt, call.signal);
  }
}
