import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { startLanguage } from "./messages/language.ts";
import { loadNetwork } from "./network.ts";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
const [network] = await Promise.all([loadNetwork(), startLanguage()]);
createRoot(root).render(
  <StrictMode>
    <App network={network} />
  </StrictMode>,
);
registerWorker();

/** Once the page is shown: what the worker keeps for later would delay it. Without a worker films are downloaded before they play. */
function registerWorker(): void {
  const register = () =>
    navigator.serviceWorker?.register("/media-worker.js", { type: "module" }).catch(() => undefined);
  if (document.readyState === "complete") void register();
  else window.addEventListener("load", () => void register(), { once: true });
}
