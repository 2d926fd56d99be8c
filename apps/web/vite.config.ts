import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { appWorker } from "./build/app-worker.ts";
import { shippedFont } from "./build/font.ts";
import { securityHeaders } from "./build/security-headers.ts";

/**
 * In this repository the app runs on the kit's sources, without a build. With the package from npm, `resolve` is not
 * needed.
 */
export default defineConfig({
  plugins: [react(), shippedFont, securityHeaders, appWorker],
  resolve: { conditions: ["keeplight-source", ...defaultClientConditions] },
  // If Vite discovered a package while a page is open, it would reload the page, and sign its user out.
  optimizeDeps: {
    include: [
      "@noble/ciphers/aes.js",
      "@noble/curves/abstract/modular.js",
      "@noble/curves/secp256k1.js",
      "@noble/hashes/hmac.js",
      "@noble/hashes/pbkdf2.js",
      "@noble/hashes/scrypt.js",
      "@noble/hashes/sha2.js",
      "@noble/hashes/sha3.js",
      "@noble/hashes/utils.js",
      "@scure/bip32",
      "@scure/bip39",
      "@scure/bip39/wordlists/english.js",
      "@web3-storage/data-segment",
      "ethers/abi",
      "ethers/address",
      "ethers/crypto",
      "ethers/hash",
      "ethers/transaction",
      "shamir-secret-sharing",
      "zod/mini",
    ].map((name) => `keeplight > ${name}`),
  },
  build: { target: "es2022", chunkSizeWarningLimit: 900 },
});
