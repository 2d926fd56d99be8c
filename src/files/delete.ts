import { requestApi } from "../http/api-client.ts";
import { type BearerOptions, bearerOptionNames, requireApiKey, resolveCall } from "../options.ts";
import { checkOptions } from "../validation/check-options.ts";
import { requiredText, rowWith } from "../validation/lenient.ts";
import { checkText } from "../validation/text.ts";

/** The API host's confirmation that a file is deleted. Fields that are not listed here are kept unchanged. */
export interface DeletedFile {
  /** The API host's own text. */
  message: string;
  [field: string]: unknown;
}

const deleted = rowWith<DeletedFile>({ message: requiredText });

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
  options = checkOptions(options, bearerOptionNames);
  checkText("id", id);
  const bearer = requireApiKey(options);
  return requestApi(resolveCall(options), {
    method: "DELETE",
    path: "/api/user/delete_file",
    query: { id },
    bearer,
    schema: deleted,
    what: "confirmation that the file is deleted",
  });
}
