import { serveMedia } from "@keeplight/media/worker";
import { serveAppShell } from "./worker/app-shell.ts";

// The app's Service Worker: films, sound and PDFs play from it while they are fetched and decrypted, part by part, and the
// app starts from it without a network.

serveMedia();
serveAppShell({ files: "__APP_FILES__", version: "__APP_VERSION__" });
