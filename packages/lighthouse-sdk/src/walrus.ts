import { plain, toData } from "@keeplight/kavach/shared";
import { checkToken, requestApi, resolveCall } from "keeplight/parts";
import * as z from "zod/mini";

// Calls about another storage network, which the kit does not have.

/** The longest list of blobs that is read. */
const MAX_LIST_BYTES = 16 * 2 ** 20;

/** Returns the blobs that hold a file. */
export async function walrusBlobs(cid: string): Promise<{ blobIds: string[] }> {
  const { data } = await toData(plain, (endpoints) =>
    requestApi(resolveCall({ endpoints }), {
      method: "GET",
      path: "/api/lighthouse/walrus_blobs",
      query: { cid },
      maxBytes: MAX_LIST_BYTES,
      schema: z.looseObject({ blobIds: z.array(z.string()) }),
      what: "list of blobs",
    }),
  );
  return { blobIds: data.blobIds };
}

/** Deletes a file that is stored as blobs. */
export async function deleteFileWalrus(authToken: string, fileId: string): Promise<{ data: { message: string } }> {
  return toData(plain, async (endpoints) => {
    const call = { ...resolveCall({ endpoints }), apiKey: checkToken("authToken", authToken) };
    return requestApi(call, {
      method: "DELETE",
      path: "/api/user/delete_file_walrus",
      query: { id: fileId },
      schema: z.looseObject({ message: z.string() }),
      what: "confirmation that the file is deleted",
    });
  });
}
