import { unchecked } from "../../base/checks.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidSignature } from "../../errors/nodes.ts";
import { invalidResponse } from "../../errors/transport.ts";
import { token } from "../../options.ts";
import { checkAddress } from "../../validation/address.ts";
import { textField } from "../../validation/fields.ts";
import { checkMessage, type SigningOptions, signingSchema } from "../../validation/sign-in-message.ts";
import {
  type KeyNodeOptions,
  type KeyNodes,
  keyNodeSchema,
  type NodeRequest,
  openKeyNodes,
  requestNode,
} from "../nodes/node-client.ts";

/** A sign-in at the key nodes. */
export interface Jwt {
  /** Bearer for the key nodes, starts with `jwt:`. */
  token: string;
  /** Exchanged for the next token, starts with `r:`. */
  refreshToken: string;
}

const messageSchema = { ...keyNodeSchema, ...signingSchema } satisfies OptionSchema<KeyNodeOptions & SigningOptions>;

export const kavachGetAuthMessageOperation = { options: messageSchema } satisfies Operation<
  KeyNodeOptions & SigningOptions
>;

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
  const call = resolveOptions(messageSchema, options);
  const message = await fetchNodeMessage(checkAddress(address), openKeyNodes(call));
  checkMessage(message, "keyNodes", call);
  return { message };
}

/** Requests the key nodes' current message of `address`, whose form is not checked yet. */
export async function fetchNodeMessage(address: string, nodes: KeyNodes): Promise<string> {
  const request: NodeRequest = { method: "GET", path: `/api/message/${address}` };
  const response = await requestNode(nodes, request);
  const message = Array.isArray(response) ? textField(response[0], "message") : undefined;
  if (!message) {
    throw invalidResponse({ method: "GET", url: request.path }, "The key nodes returned no message to sign");
  }
  return message;
}

/** Options of {@link kavachGetJwt}. */
export interface GetJwtOptions extends KeyNodeOptions {
  /** Signature of the current message, by the address. */
  signature: string;
  /** Kind of wallet that signed; with `ALL` the nodes detect it. @default `ALL` */
  chain?: string | undefined;
}

const getJwtSchema = {
  ...keyNodeSchema,
  signature: token,
  chain: unchecked<string>(),
} satisfies OptionSchema<GetJwtOptions>;

export const kavachGetJwtOperation = { options: getJwtSchema } satisfies Operation<GetJwtOptions>;

/**
 * Exchanges a signed message for a JWT, which is valid for any number of calls.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_SIGNATURE` if the nodes do not accept it, and what every request may throw
 */
export async function kavachGetJwt(address: string, options: GetJwtOptions): Promise<Jwt> {
  const { signature, chain, ...call } = resolveOptions(getJwtSchema, options);
  return requestJwt(openKeyNodes(call), { address: checkAddress(address), signature, chain });
}

/** Options of {@link kavachRefreshJwt}. */
export interface RefreshJwtOptions extends KeyNodeOptions {
  /** The `refreshToken` of the previous JWT. */
  refreshToken: string;
}

const refreshJwtSchema = { ...keyNodeSchema, refreshToken: token } satisfies OptionSchema<RefreshJwtOptions>;

export const kavachRefreshJwtOperation = { options: refreshJwtSchema } satisfies Operation<RefreshJwtOptions>;

/**
 * Exchanges a refresh token for the next JWT, without a signature.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_SIGNATURE` if the nodes do not accept it, and what every request may throw
 */
export async function kavachRefreshJwt(address: string, options: RefreshJwtOptions): Promise<Jwt> {
  const { refreshToken, ...call } = resolveOptions(refreshJwtSchema, options);
  return requestJwt(openKeyNodes(call), { address: checkAddress(address), refreshToken });
}

/** What a JWT is exchanged for: a signature of the current message, or the refresh token of the previous JWT. */
type JwtProof = { address: string } & ({ signature: string; chain?: string | undefined } | { refreshToken: string });

/** Exchanges a proof for a JWT. It does not wait for other requests of the call: they may wait for the JWT. */
export async function requestJwt(nodes: KeyNodes, proof: JwtProof): Promise<Jwt> {
  const json = "signature" in proof ? { ...proof, chain: proof.chain ?? "ALL" } : proof;
  const method = "signature" in proof ? "POST" : "PUT";
  let response: unknown;
  try {
    const atOnce: KeyNodes = { ...nodes, inFlight: (task) => task() };
    response = await requestNode(atOnce, { method, path: "/api/message/get-jwt", json });
  } catch (error) {
    const refused = isKeeplightError(error) && (error.code === "NODE_REFUSED" || error.code === "HTTP_STATUS");
    throw refused ? invalidSignature(error) : error;
  }
  const jwt = textField(response, "token");
  const refreshToken = textField(response, "refreshToken");
  if (jwt === undefined || refreshToken === undefined) throw invalidSignature();
  return { token: jwt, refreshToken };
}
