import { serveMedia } from "../../src/service-worker/index.ts";

// A Service Worker for the pages of tests.

serveMedia();
