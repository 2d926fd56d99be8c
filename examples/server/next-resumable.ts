/** Next.js, in Node: `app/api/uploads/[[...id]]/route.ts`. */
import { handleResumable } from "./handle-resumable.ts";

export const runtime = "nodejs";

export {
  handleResumable as DELETE,
  handleResumable as GET,
  handleResumable as HEAD,
  handleResumable as OPTIONS,
  handleResumable as PATCH,
  handleResumable as POST,
};
