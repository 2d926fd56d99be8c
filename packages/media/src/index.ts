export { createMediaUrl, type MediaUrl, type MediaUrlOptions } from "./create-media-url.ts";
export { createResponse, type MediaFile } from "./create-response.ts";
