import { getEndpoints, plain, withErrors } from "@keeplight/kavach/shared";
import { checkToken, requestApi, resolveCall } from "keeplight/parts";
import * as z from "zod/mini";

// Calls about another storage network, which the kit does not have.

/** The longest list of blobs that is read. */
const MAX_LIST_BYTES = 16 * 2 ** 20;

/** Returns the blobs that hold a file. */
export async function walrusBlobs(cid: string): Promise<{ blobIds: string[] }> {
  const { blobIds } = await withErrors(plain, () =>
    requestApi(resolveCall({ endpoints: getEndpoints() }), {
      method: "GET",
      path: "/api/lighthouse/walrus_blobs",
      query: { cid },
      maxBytes: MAX_LIST_BYTES,
      schema: z.looseObject({ blobIds: z.array(z.string()) }),
      what: "list of blobs",
    }),
  );
  return { blobIds };
}

/** Deletes a file that is stored as blobs. */
export async function deleteFileWalrus(authToken: string, fileId: string): Promise<{ data: { message: string } }> {
  const data = await withErrors(plain, () =>
    requestApi(
      { ...resolveCall({ endpoints: getEndpoints() }), apiKey: checkToken("authToken", authToken) },
      {
        method: "DELETE",
        path: "/api/user/delete_file_walrus",
        query: { id: fileId },
        schema: z.looseObject({ message: z.string() }),
        what: "confirmation that the file is deleted",
      },
    ),
  );
  return { data };
}
