import type { Optional } from "../../options.ts";
import type { OwnerOptions } from "../auth/owner.ts";
import type { KeyNodeOptions } from "./node-client.ts";

/**
 * Merges the options to resume with. A signal that has fired is dropped, as it would end the call again at once, and
 * so is an option whose new value is `undefined`. The owner stays unless another one is passed.
 */
export function mergeResumeOptions<Options extends KeyNodeOptions & OwnerOptions>(
  options: Options,
  changed: Optional<KeyNodeOptions & OwnerOptions>,
): Options {
  const { signal } = options;
  const dropped = Object.fromEntries(Object.keys(changed).map((name) => [name, undefined]));
  const { signer, address, authToken } = options;
  return mergeOptions(
    { ...options, signal: signal?.aborted ? undefined : signal, ...dropped, signer, address, authToken } as Options,
    changed,
  );
}

/** Changes some of `options`. An owner is replaced as a whole, though an address may get a new token. */
export function mergeOptions<Options extends object>(options: Options, changed: Optional<OwnerOptions>): Options {
  const changes = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const hasNewOwner = changed.signer !== undefined || changed.address !== undefined;
  const kept = hasNewOwner ? { ...options, signer: undefined, address: undefined, authToken: undefined } : options;
  return { ...kept, ...changes } as Options;
}
