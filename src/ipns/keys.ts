import * as z from "zod/mini";
import { askApi } from "../http/api-host.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkText } from "../input/text.ts";
import { type BearerOptions, bearerOptionNames, requireApiKey, resolveCall } from "../options.ts";

const ipnsKey = z.looseObject({
  /** What the other calls take as `keyName`. */
  ipnsName: z.string(),
  /** The name itself: `<gateway>/ipns/<ipnsId>` shows what is published under it. */
  ipnsId: z.string(),
});

/** A new name. Fields beyond these are kept as they come. */
export type IpnsKey = z.infer<typeof ipnsKey>;

const removedKeys = z.looseObject({
  /** The key that is gone: its `keyName` and its IPNS id. */
  Keys: z.array(
    z.looseObject({
      /** What the account calls it: the `ipnsName`. */
      Name: z.string(),
      /** What everybody calls it: the `ipnsId`, `k51…`. */
      Id: z.string(),
    }),
  ),
});

/** What was removed. */
export type RemovedIpnsKeys = z.infer<typeof removedKeys>;

/**
 * Makes a name (IPNS) for the account; nothing is published under it yet.
 *
 * @throws `MISSING_API_KEY`, `HTTP_STATUS`, `INVALID_ANSWER`; what every request may throw
 *
 * @example
 * const { ipnsName, ipnsId } = await ipnsGenerateKey({ apiKey });
 */
export async function ipnsGenerateKey(options: BearerOptions = {}): Promise<IpnsKey> {
  checkOptions(options, bearerOptionNames);
  const bearer = requireApiKey(options);
  return askApi(resolveCall(options), {
    method: "GET",
    path: "/api/ipns/generate_key",
    once: true,
    bearer,
    schema: ipnsKey,
    what: "IPNS key",
  });
}

/**
 * Removes a name of the account. What was published under it can no longer be changed.
 *
 * @param keyName - the `ipnsName` that {@link ipnsGenerateKey} gave
 * @throws `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS` (500 for an unknown key), `INVALID_ANSWER`; what
 * every request may throw
 */
export async function ipnsRemoveKey(keyName: string, options: BearerOptions = {}): Promise<RemovedIpnsKeys> {
  checkOptions(options, bearerOptionNames);
  checkText("keyName", keyName);
  const bearer = requireApiKey(options);
  return askApi(resolveCall(options), {
    method: "DELETE",
    path: "/api/ipns/remove_key",
    query: { keyName },
    bearer,
    schema: removedKeys,
    what: "word that the IPNS key is removed",
  });
}
