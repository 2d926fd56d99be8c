import { wait } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidSignature } from "../../base/errors/nodes.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import { type Operation, resolveOptions, unchecked } from "../../base/operation.ts";
import { token } from "../../base/options.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { textField } from "../../base/validation/parse-json.ts";
import { checkMessage, type SigningOptions, signingSchema, signWithSigner } from "../../base/validation/sign.ts";
import type { Signer } from "../../base/validation/signer.ts";
import { type KeyNodeOptions, type KeyNodes, keyNodeSchema, openKeyNodes, requestNode } from "../nodes/node-client.ts";

export const kavachGetAuthMessageOperation = {
  options: { ...keyNodeSchema, ...signingSchema },
} satisfies Operation<KeyNodeOptions & SigningOptions>;

/**
 * Returns the message to sign as proof of owning `address`. It changes after each use. Like every message that is
 * signed, it has the form of the key nodes' messages, or `acceptMessage` allows it.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_OPTION`, `NODE_REFUSED`, `UNEXPECTED_MESSAGE` and what every request may throw
 */
export async function kavachGetAuthMessage(
  address: string,
  options: KeyNodeOptions & SigningOptions = {},
): Promise<{
  /** The string to sign. */
  message: string;
}> {
  const call = resolveOptions(kavachGetAuthMessageOperation.options, options);
  const message = await fetchNodeMessage(checkAddress(address), openKeyNodes(call));
  checkMessage(message, "keyNodes", call);
  return { message };
}

/** Options of {@link kavachGetJwt}. */
export interface GetJwtOptions extends KeyNodeOptions {
  /** Signature of the current message, by the address. */
  signature: string;
  /** Kind of wallet that signed; with `ALL` the nodes detect it. @default `ALL` */
  chain?: string | undefined;
}

export const kavachGetJwtOperation = {
  options: { ...keyNodeSchema, signature: token, chain: unchecked<string>() },
} satisfies Operation<GetJwtOptions>;

/**
 * Exchanges a signed message for a JWT, which is valid for any number of calls.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_SIGNATURE` if the nodes do not accept it, and what every request may throw
 */
export async function kavachGetJwt(address: string, options: GetJwtOptions): Promise<Jwt> {
  const { signature, chain, ...call } = resolveOptions(kavachGetJwtOperation.options, options);
  return requestJwt(openKeyNodes(call), { address: checkAddress(address), signature, chain });
}

/** Options of {@link kavachRefreshJwt}. */
export interface RefreshJwtOptions extends KeyNodeOptions {
  /** The `refreshToken` of the previous JWT. */
  refreshToken: string;
}

export const kavachRefreshJwtOperation = {
  options: { ...keyNodeSchema, refreshToken: token },
} satisfies Operation<RefreshJwtOptions>;

/**
 * Exchanges a refresh token for the next JWT, without a signature.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_SIGNATURE` if the nodes do not accept it, and what every request may throw
 */
export async function kavachRefreshJwt(address: string, options: RefreshJwtOptions): Promise<Jwt> {
  const { refreshToken, ...call } = resolveOptions(kavachRefreshJwtOperation.options, options);
  return requestJwt(openKeyNodes(call), { address: checkAddress(address), refreshToken });
}

/**
 * Maximum number of messages to sign. Each sign-in of another process with the same address uses up a message, so this
 * many of them may run at once.
 */
const MAX_ATTEMPTS = 8;

/** A sign-in at the key nodes. */
export interface Jwt {
  /** Bearer for the key nodes, starts with `jwt:`. */
  token: string;
  /** Exchanged for the next token, starts with `r:`. */
  refreshToken: string;
}

/** A message and its signature, by which an account was signed in. */
export interface SignInProof {
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
): Promise<SignInProof & { jwt: Jwt }> {
  const { call, retryMs } = nodes;
  for (let attempt = 1; ; attempt++) {
    const message = await fetchNodeMessage(address, nodes);
    const signature = await signWithSigner(signer, message, "keyNodes", { ...signing, signal: call.signal });
    try {
      return { jwt: await requestJwt(nodes, { address, signature }), message, signature };
    } catch (error) {
      if (!isKeeplightError(error, "INVALID_SIGNATURE") || attempt === MAX_ATTEMPTS) throw error;
      // If the message is still unused, the signature was refused for itself.
      if ((await fetchNodeMessage(address, nodes)) === message) throw error;
    }
    await wait(Math.random() * retryMs * attempt, call.signal);
  }
}

/** Requests the key nodes' current message of `address`, whose form is not checked yet. */
async function fetchNodeMessage(address: string, nodes: KeyNodes): Promise<string> {
  const path = `/api/message/${address}`;
  const response = await requestNode(nodes, { method: "GET", path });
  const message = Array.isArray(response) ? textField(response[0], "message") : undefined;
  if (message) return message;
  throw invalidResponse({ method: "GET", url: path }, "The key nodes returned no message to sign");
}

/** What a JWT is exchanged for: a signature of the current message, or the refresh token of the previous JWT. */
type JwtProof = { address: string } & ({ signature: string; chain?: string | undefined } | { refreshToken: string });

/** Exchanges a proof for a JWT. It does not wait for other requests of the call: they may wait for the JWT. */
export async function requestJwt(nodes: KeyNodes, proof: JwtProof): Promise<Jwt> {
  const json = "signature" in proof ? { ...proof, chain: proof.chain ?? "ALL" } : proof;
  const method = "signature" in proof ? "POST" : "PUT";
  const atOnce: KeyNodes = { ...nodes, inFlight: (task) => task() };
  const response = await requestNode(atOnce, { method, path: "/api/message/get-jwt", json }).catch((error: unknown) => {
    const refused = isKeeplightError(error, "NODE_REFUSED") || isKeeplightError(error, "HTTP_STATUS");
    throw refused ? invalidSignature(error) : error;
  });
  const jwt = textField(response, "token");
  const refreshToken = textField(response, "refreshToken");
  if (jwt === undefined || refreshToken === undefined) throw invalidSignature();
  return { token: jwt, refreshToken };
}
