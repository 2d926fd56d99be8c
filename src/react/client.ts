"use client";

// What a server component gets (condition `react-server`), from whose bundle the hooks are left out by the directive.
// It is not in index.ts because Rollup and Vite warn of directives wherever they find one, and nothing but servers
// looks for it. It names each export: a client boundary may not `export *`.
export {
  KitProvider,
  useBalance,
  useDecrypt,
  useDownload,
  useFiles,
  useKit,
  usePayment,
  useUpload,
  useUploadEncrypted,
  useWallet,
} from "./index.ts";
