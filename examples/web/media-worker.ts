import { serveMedia } from "keeplight/service-worker";

// The app's Service Worker: films, sound and PDFs play from it while they are fetched and decrypted, part by part.

serveMedia();
