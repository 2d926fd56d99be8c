import type { Plugin } from "vite";

/** Where the app connects to on the public network: its services, and the chains of payments and conditions. */
const publicOrigins = [
  "https://api.lighthouse.storage",
  "https://upload.lighthouse.storage",
  "https://gateway.lighthouse.storage",
  "https://gateway-walrus.lighthouse.storage",
  "https://encryption.lighthouse.storage",
  "https://rpc.ftm.tools",
  "https://rpcapi.fantom.network",
  "https://fantom.drpc.org",
  "https://polygon-rpc.com",
  "https://polygon-bor-rpc.publicnode.com",
  "https://polygon.drpc.org",
  "https://bsc-dataseed.binance.org",
  "https://bsc-dataseed1.bnbchain.org",
  "https://bsc-rpc.publicnode.com",
  "https://mainnet.optimism.io",
  "https://optimism-rpc.publicnode.com",
  "https://optimism.drpc.org",
  "https://api.node.glif.io",
  "https://filecoin.chainup.net",
  "https://filecoin.drpc.org",
  "https://api.calibration.node.glif.io",
  "https://filecoin-calibration.drpc.org",
  "https://ethereum-rpc.publicnode.com",
  "https://mainnet.base.org",
  "https://sepolia.base.org",
  "https://api.avax.network",
];

/** Returns the headers that the app is to be served with; `origins` is where the page may connect to. */
export function createSecurityHeaders(origins: readonly string[] = publicOrigins): Record<string, string> {
  const policy = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "font-src": "'self'",
    // Wallets announce their icons as data; decrypted files are blobs.
    "img-src": "'self' data: blob:",
    "media-src": "'self' blob:",
    "frame-src": "'self' blob:",
    "worker-src": "'self' blob:",
    "manifest-src": "'self'",
    "connect-src": ["'self'", "blob:", ...origins].join(" "),
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
  };
  return {
    "Content-Security-Policy": Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources}`)
      .join("; "),
    // Links of files have their CID, and share links their key, in the page's URL.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  };
}

/** Serves the built app with these headers in the preview, and writes them to `_headers`, as static hosts read them. */
export const securityHeaders: Plugin = {
  name: "security-headers",
  configurePreviewServer: ({ middlewares }) =>
    void middlewares.use((_, response, next) => {
      for (const [name, value] of Object.entries(createSecurityHeaders())) response.setHeader(name, value);
      next();
    }),
  generateBundle() {
    const lines = Object.entries(createSecurityHeaders()).map(([name, value]) => `  ${name}: ${value}`);
    this.emitFile({ type: "asset", fileName: "_headers", source: ["/*", ...lines, ""].join("\n") });
  },
};
