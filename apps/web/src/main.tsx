import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, preloadSignedIn } from "./app.tsx";
import { refuseDrops } from "./files/refuse-drops.ts";
import { startLanguage } from "./messages/language.ts";
import { loadNetwork } from "./network.ts";

void start();
refuseDrops();
whenLoaded(preloadSignedIn);
whenLoaded(registerWorker);

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) throw new Error("index.html has no #app");
  const [network] = await Promise.all([loadNetwork(), startLanguage()]);
  createRoot(root).render(
    <StrictMode>
      <App network={network} />
    </StrictMode>,
  );
}

/** Without a Service Worker films are downloaded before they play. */
function registerWorker(): void {
  navigator.serviceWorker?.register("/media-worker.js", { type: "module" }).catch(() => undefined);
}

/** Runs what would delay the first screen once that is loaded. */
function whenLoaded(work: () => void): void {
  if (document.readyState === "complete") work();
  else window.addEventListener("load", work, { once: true });
}
