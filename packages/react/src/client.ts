"use client";

// The entry for server components (condition `react-server`): the directive keeps the hooks out of their bundle.
// It is not in index.ts because only servers need the directive, and Rollup and Vite warn wherever they find one.
// Each export is named: a client boundary may not `export *`.
export {
  KitProvider,
  useBalance,
  useDecrypt,
  useDownload,
  useFiles,
  useJournal,
  useKit,
  useKitQueries,
  useMediaUrl,
  usePayment,
  useUnfinished,
  useUpload,
  useUploadEncrypted,
  useUploadEntry,
  useWallet,
} from "./index.ts";
