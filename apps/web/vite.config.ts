import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { appWorker } from "./build/app-worker.ts";
import { preloadedFont } from "./build/font.ts";
import { shippedLicences } from "./build/licences.ts";
import { securityHeaders } from "./build/security-headers.ts";

/**
 * In this repository the app runs on the sources of `keeplight` and `@keeplight/react`, without a build: Vite finds what
 * they import before the first page opens. With the packages from npm, `resolve` is not needed.
 */
export default defineConfig({
  plugins: [react(), preloadedFont, shippedLicences, securityHeaders, appWorker],
  resolve: { conditions: ["keeplight-source", ...defaultClientConditions] },
  build: { target: "es2022", chunkSizeWarningLimit: 900 },
});
