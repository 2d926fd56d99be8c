import { nonEmpty } from "../../base/checks.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema } from "../../base/options.ts";
import { requiredText, rowWith } from "../../base/validation/lenient.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** The API host's confirmation that a file is deleted. Fields that are not listed here are kept unchanged. */
export interface DeletedFile {
  /** The API host's own text. */
  message: string;
  [field: string]: unknown;
}

const deleted = rowWith<DeletedFile>({ message: requiredText });

export const deleteFileOperation = { options: bearerSchema } satisfies Operation<BearerOptions>;

/**
 * Deletes a file of the account.
 *
 * @param id - the file's `id` in the listing, not its content id
 * @throws `INVALID_OPTION`, `MISSING_API_KEY`, `HTTP_STATUS`, `INVALID_RESPONSE`; what every request may throw
 *
 * @example
 * const { fileList } = await listFiles({ apiKey });
 * for (const { id } of fileList) await deleteFile(id, { apiKey });
 */
export async function deleteFile(id: string, options: BearerOptions): Promise<DeletedFile> {
  const call = resolveOptions(bearerSchema, options);
  nonEmpty(id, "id");
  return requestApi(call, {
    method: "DELETE",
    path: "/api/user/delete_file",
    query: { id },
    schema: deleted,
    what: "confirmation that the file is deleted",
  });
}
