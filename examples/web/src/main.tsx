import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { startLanguage } from "./messages/language.ts";
import { loadNetwork } from "./network.ts";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
// Without it, films are downloaded as a whole before they play.
navigator.serviceWorker?.register("/media-worker.js", { type: "module" }).catch(() => undefined);
const [network] = await Promise.all([loadNetwork(), startLanguage()]);
createRoot(root).render(
  <StrictMode>
    <App network={network} />
  </StrictMode>,
);
