import { isKeeplightError, kavachGetAuthMessage, kavachGetJwt, kavachRefreshJwt } from "keeplight";
import { orErrorValue } from "./errors.ts";
import { getKeyNodeOptions } from "./settings.ts";
import type { AuthMessage, Unchecked } from "./types.ts";

/** Returns the message to sign as proof of owning `address`. */
export async function getAuthMessage(address: string): Promise<AuthMessage> {
  return orErrorValue<AuthMessage>(
    async () => ({ ...(await kavachGetAuthMessage(address, getKeyNodeOptions())), error: null }),
    (error) => ({ message: null, error }),
  );
}

/** Exchanges a signed message, or a refresh token, for a JWT. */
export async function getJWT(
  address: string,
  payload: string,
  useAsRefreshToken = false,
  chain = "ALL",
): Promise<
  { JWT: Unchecked; refreshToken: Unchecked; error: null } | { JWT: null; error: string; refreshToken?: undefined }
> {
  const options = getKeyNodeOptions();
  try {
    const { token, refreshToken } = useAsRefreshToken
      ? await kavachRefreshJwt(address, { ...options, refreshToken: payload })
      : await kavachGetJwt(address, { ...options, signature: payload, chain });
    return { JWT: token, refreshToken, error: null };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { JWT: null, error: "Invalid Signature" };
  }
}
