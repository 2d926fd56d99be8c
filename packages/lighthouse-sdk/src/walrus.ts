import { getEndpoints, plain, withErrors } from "@keeplight/kavach/shared";
import { checkToken, LIST_RESPONSE_BYTES, requestApi, resolveCall } from "keeplight/parts";
import * as z from "zod/mini";

// Calls about another storage network, which the kit does not have.

/** Returns the blobs that hold a file. */
export async function walrusBlobs(cid: string): Promise<{ blobIds: string[] }> {
  const { blobIds } = await withErrors(plain, () =>
    requestApi(resolveCall({ endpoints: getEndpoints() }), {
      method: "GET",
      path: "/api/lighthouse/walrus_blobs",
      query: { cid },
      maxBytes: LIST_RESPONSE_BYTES,
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
