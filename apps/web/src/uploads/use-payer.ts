import type { ResumePayerOptions } from "@keeplight/react";
import { useSession } from "../session/session.ts";

/** Who pays for payments that are resumed, and how to poll for them. */
export function usePayer(): ResumePayerOptions {
  const { provider, network } = useSession();
  return { signer: provider, ...network.polling };
}
