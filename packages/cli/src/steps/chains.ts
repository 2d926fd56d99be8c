import type { NetworkName, PaymentNetwork } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";

/** Returns the chain of `--network`: a row of the configuration, or else a name that the package checks. */
export function findNetwork({ option, settings }: Invocation): NetworkName | PaymentNetwork | undefined {
  const name = option("network");
  if (name === undefined) return undefined;
  const rows = settings.networks ?? {};
  return Object.hasOwn(rows, name) ? rows[name] : (name as NetworkName);
}
