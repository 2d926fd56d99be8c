import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, preloadSignedIn } from "./app.tsx";
import { refuseDrops } from "./files/refuse-drops.ts";
import { startLanguage } from "./messages/language.ts";
import { loadNetwork } from "./network.ts";
import { ErrorNote } from "./ui/error-note.tsx";

void start();
refuseDrops();
whenLoaded(preloadSignedIn);
whenLoaded(registerWorker);

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) throw new Error("index.html has no #app");
  const [network] = await Promise.allSettled([loadNetwork(), startLanguage()]);
  createRoot(root).render(
    <StrictMode>
      {network.status === "fulfilled" ? (
        <App network={network.value} />
      ) : (
        <main>
          <ErrorNote error={network.reason} retry={() => location.reload()} />
        </main>
      )}
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
