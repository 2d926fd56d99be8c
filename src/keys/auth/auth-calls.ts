import { unchecked } from "../../base/checks.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { token } from "../../base/options.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { checkMessage, type SigningOptions, signingSchema } from "../../base/validation/sign-in-message.ts";
import { type KeyNodeOptions, keyNodeSchema, openKeyNodes } from "../nodes/node-client.ts";
import { fetchNodeMessage, type Jwt, requestJwt } from "./sign-in.ts";

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
