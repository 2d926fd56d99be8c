import { type ResumedResult, type ResumeOptions, type UnfinishedOperation, useUnfinished } from "@keeplight/react";
import { useAskWallet } from "../session/wallet-gate.tsx";

/** Returns what resumes an operation. An upload that is paid for by itself connects the wallet first, and is paid once. */
export function useResume() {
  const { resume } = useUnfinished();
  const askWallet = useAskWallet();
  return async (
    { id, payPerUpload }: UnfinishedOperation,
    options: ResumeOptions,
  ): Promise<ResumedResult | undefined> => {
    if (!payPerUpload) return resume(id, options);
    const own = await askWallet();
    return own && resume(id, { ...options, payPerUpload: { ...payPerUpload, signer: own.wallet.provider } });
  };
}
