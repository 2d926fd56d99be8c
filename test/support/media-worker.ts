import { serveMedia } from "../../packages/media/src/serve-media.ts";

// A Service Worker for the pages of tests.

serveMedia();
