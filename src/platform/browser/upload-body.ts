import type { Platform } from "../types.ts";
import { storedBody } from "./stored-body.ts";
import { canStream, streamedBody } from "./streamed-body.ts";

/** Unless the browser can send a body while it is generated. */
export const preparesBody = true;

/** Builds a body that is generated while it is sent, where that is possible, or one that is stored first. */
export const uploadBody: Platform["uploadBody"] = async (parts, options) =>
  canStream(parts, options.streamTo) ? streamedBody(parts, options) : storedBody(parts, options);
