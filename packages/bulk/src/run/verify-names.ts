import { isKeeplightError } from "keeplight";
import { createVerifiedUpload, type SourceFile, toNodeName, type VerifiedUpload } from "keeplight/parts";

/**
 * Creates the check of an upload whose files a node may store under their names, or under what it decodes those to, such as
 * `a b` for `a+b`: which of them it does is known from the content id of the folder only.
 *
 * @throws as `createVerifiedUpload`
 */
export async function verifyNames(
  files: readonly SourceFile[],
  options: Parameters<typeof createVerifiedUpload>[1],
): Promise<VerifiedUpload> {
  const own = await createVerifiedUpload(files, options);
  if (files.every(({ name }) => toNodeName(name) === name)) return own;
  const decoded = await createVerifiedUpload(
    own.files.map((file) => ({ ...file, name: toNodeName(file.name) })),
    options,
  );
  return {
    files: decoded.files.map((file, at) => ({ ...file, name: files[at]?.name ?? file.name })),
    async verify(stored) {
      try {
        await own.verify(stored);
      } catch (error) {
        if (!isKeeplightError(error, "CID_MISMATCH")) throw error;
        // The first error names what was sent.
        await decoded.verify(stored).catch(() => {
          throw error;
        });
      }
    },
    getCid: own.getCid,
  };
}
