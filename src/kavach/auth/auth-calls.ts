import { isKeeplightError } from "../../errors/base.ts";
import { invalidSignature } from "../../errors/nodes.ts";
import { invalidResponse } from "../../errors/transport.ts";
import { checkToken } from "../../options.ts";
import { checkAddress } from "../../validation/address.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { textField } from "../../validation/fields.ts";
import {
  type KeyNodeOptions,
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

/**
 * Returns the message to sign as proof of owning `address`. It changes after each use.
 *
 * @throws `INVALID_ADDRESS`, `NODE_REFUSED` and what every request may throw
 */
export async function kavachGetAuthMessage(
  address: string,
  options: KeyNodeOptions = {},
): Promise<{
  /** The string to sign. */
  message: string;
}> {
  options = checkOptions(options, keyNodeOptionNames);
  const checked = checkAddress(address);
  const request: NodeRequest = { method: "GET", path: `/api/message/${checked}` };
  const response = await requestNode(resolveKeyNodes(options), request);
  const message = Array.isArray(response) ? textField(response[0], "message") : undefined;
  if (!message) {
    throw invalidResponse({ method: "GET", url: request.path }, "The key nodes returned no message to sign");
  }
  return { message };
}

/** Options of {@link kavachGetJwt}. */
export interface GetJwtOptions extends KeyNodeOptions {
  /** Signature of the current message, by the address. */
  signature: string;
  /** Kind of wallet that signed; with `ALL` the nodes detect it. @default `ALL` */
  chain?: string | undefined;
}

export const getJwtNames = [keyNodeOptionNames, "signature,chain"] as const;

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
