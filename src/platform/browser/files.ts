import { unsupported } from "../../base/errors/input.ts";
import type { Platform } from "../types.ts";

export const absolutePath: Platform["absolutePath"] = (path) => path;

/** A page has no paths: always rejects with `UNSUPPORTED`. */
export const filesAt: Platform["filesAt"] = async () => {
  throw unsupported("reading from a path; pass a File, a Blob or bytes");
};

const noPath = () => unsupported("writing to a path; leave out `to` and take the bytes or a Blob");

/** A page has no paths: always rejects with `UNSUPPORTED`. */
export const fileSink: Platform["fileSink"] = async () => {
  throw noPath();
};

/** A page has no paths: always throws `UNSUPPORTED`. */
export const partialFiles: Platform["partialFiles"] = () => {
  throw noPath();
};
