import { type ResumedResult, type ResumeOptions, type UnfinishedOperation, useUnfinished } from "@keeplight/react";
import { useAskWallet } from "../session/wallet-gate.tsx";
import { createPayer } from "../storage/upload-network.ts";

/** Returns what resumes an operation. An upload that is paid for by itself connects the wallet first, and is paid once. */
export function useResume() {
  const { resume } = useUnfinished();
  const askWallet = useAskWallet();
  return async (
    { id, payPerUpload: limit }: UnfinishedOperation,
    options: ResumeOptions,
  ): Promise<ResumedResult | undefined> => {
    if (!limit) return resume(id, options);
    const own = await askWallet();
    return own && resume(id, { ...options, payPerUpload: await createPayer(limit, own.wallet.provider) });
  };
}
