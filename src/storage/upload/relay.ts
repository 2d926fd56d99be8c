import { relayBody } from "#platform";
import type { ResolvedCall } from "../../base/options.ts";
import type { TextResponse } from "../../network/http/response.ts";
import type { SourceFile } from "../../platform/types.ts";
import { sendBody } from "./send.ts";
import type { Route } from "./upload-access.ts";
import { readUploadResponse, type UploadedFiles } from "./upload-response.ts";

/** Files of others that pass through to the upload node. */
export interface Relay {
  /** Become known one after another; each is read before the next one is requested. They end when `signal` fires. */
  files: (signal: AbortSignal) => AsyncIterable<SourceFile>;
  route: Route;
}

/**
 * Sends files on while they arrive, and returns what the upload node has stored.
 *
 * @throws what `files` and `send` throw; `INVALID_JSON`, `INVALID_RESPONSE`
 */
export async function relay({ files, route }: Relay, call: ResolvedCall): Promise<UploadedFiles> {
  const names: string[] = [];
  async function* withNames(signal: AbortSignal): AsyncGenerator<SourceFile> {
    for await (const file of files(signal)) {
      names.push(file.name);
      yield file;
    }
  }
  const body = await relayBody(withNames, { signal: call.signal });
  // Only a body that could be sent again may get no response.
  const response = (await sendBody(body, route, call)) as TextResponse;
  return readUploadResponse(response, { name: names.length === 1 ? names[0] : undefined });
}
