import { isKeeplightError } from "../../errors/base.ts";
import { invalidSignature } from "../../errors/nodes.ts";
import { invalidResponse } from "../../errors/transport.ts";
import { checkToken } from "../../options.ts";
import { checkAddress } from "../../validation/address.ts";
import { checkOptions, fromNames } from "../../validation/check-options.ts";
import { textField } from "../../validation/fields.ts";
import { checkMessage, checkSigning, type SigningOptions } from "../../validation/sign-in-message.ts";
import {
  type KeyNodeOptions,
  type KeyNodes,
  keyNodeOptionNames,
  type NodeRequest,
  requestNode,
  resolveKeyNodes,
} from "../nodes/node-client.ts";

/** A sign-in at the key nodes. */
export interface Jwt {
  /** Bearer for the key nodes, starts with `jwt:`. */
  token: string;
  /** Exchanged for the next token, starts with `r:`. */
  refreshToken: string;
}

export const nodeMessageNames = [keyNodeOptionNames, "acceptMessage"] as const;

export const kavachGetAuthMessageOperation = { options: fromNames(nodeMessageNames) };

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
  options = checkOptions(options, nodeMessageNames);
  checkSigning(options);
  const message = await fetchNodeMessage(checkAddress(address), resolveKeyNodes(options));
  checkMessage(message, "keyNodes", options);
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

export const getJwtNames = [keyNodeOptionNames, "signature,chain"] as const;

export const kavachGetJwtOperation = { options: fromNames(getJwtNames) };

/**
 * Exchanges a signed message for a JWT, which is valid for any number of calls.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_SIGNATURE` if the nodes do not accept it, and what every request may throw
 */
export async function kavachGetJwt(address: string, options: GetJwtOptions): Promise<Jwt> {
  options = checkOptions(options, getJwtNames);
  const { signature, chain = "ALL" } = options;
  checkToken("signature", signature);
  return requestJwt("POST", { address: checkAddress(address), signature, chain }, options);
}

/** Options of {@link kavachRefreshJwt}. */
export interface RefreshJwtOptions extends KeyNodeOptions {
  /** The `refreshToken` of the previous JWT. */
  refreshToken: string;
}

export const refreshJwtNames = [keyNodeOptionNames, "refreshToken"] as const;

export const kavachRefreshJwtOperation = { options: fromNames(refreshJwtNames) };

/**
 * Exchanges a refresh token for the next JWT, without a signature.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_SIGNATURE` if the nodes do not accept it, and what every request may throw
 */
export async function kavachRefreshJwt(address: string, options: RefreshJwtOptions): Promise<Jwt> {
  options = checkOptions(options, refreshJwtNames);
  const { refreshToken } = options;
  checkToken("refreshToken", refreshToken);
  return requestJwt("PUT", { address: checkAddress(address), refreshToken }, options);
}

async function requestJwt(method: "POST" | "PUT", json: unknown, options: KeyNodeOptions): Promise<Jwt> {
  let response: unknown;
  try {
    response = await requestNode(resolveKeyNodes(options), { method, path: "/api/message/get-jwt", json });
  } catch (error) {
    const refused = isKeeplightError(error) && (error.code === "NODE_REFUSED" || error.code === "HTTP_STATUS");
    throw refused ? invalidSignature(error) : error;
  }
  const token = textField(response, "token");
  const refreshToken = textField(response, "refreshToken");
  if (token === undefined || refreshToken === undefined) throw invalidSignature();
  return { token, refreshToken };
}
