export { createMediaUrl, type MediaFile, type MediaUrl, type MediaUrlOptions } from "./create-media-url.ts";
export { serveMedia } from "./serve-media.ts";
