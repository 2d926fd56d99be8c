import * as v from "valibot";
import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { checkToken, resolveCall } from "../../base/options.ts";
import { requestApi } from "../../network/http/api-client.ts";
import { plain, withErrors } from "../errors.ts";
import { getEndpoints } from "../settings.ts";

// Calls about another storage network, which the kit does not have.

/** Returns the blobs that hold a file. */
export async function walrusBlobs(cid: string): Promise<{ blobIds: string[] }> {
  const { blobIds } = await withErrors(plain, () =>
    requestApi(resolveCall({ endpoints: getEndpoints() }), {
      method: "GET",
      path: "/api/lighthouse/walrus_blobs",
      query: { cid },
      maxBytes: LIST_RESPONSE_BYTES,
      schema: v.looseObject({ blobIds: v.array(v.string()) }),
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
        schema: v.looseObject({ message: v.string() }),
        what: "confirmation that the file is deleted",
      },
    ),
  );
  return { data };
}
