import type { AttackRow } from "../attack-case.ts";

/** Attacks with a test of their own, in `visitors.test.ts`, as rows of THREAT-MODEL.md. */
export const visitorRows: readonly AttackRow[] = [
  {
    name: "a visitor makes the log or the decision of one's own server fail",
    outcome: "the request ends with an error, and the server goes on",
    noticed: "`createUploadHandler`: status 403 or 500, and `onError`",
  },
  {
    name: "a visitor uploads a page that claims to be a picture or a text",
    outcome:
      "`limits.types` compares type, extension and start of each file; nobody can check the bytes of encrypted ones",
    noticed: "`createUploadHandler`: `UPLOAD_REFUSED`",
    limit: "encrypted uploads, where `application/octet-stream` is accepted",
  },
  {
    name: "a visitor has files stored as a site",
    outcome: "folders are refused unless `limits.folders` accepts them",
    noticed: "`createUploadHandler`: `UPLOAD_REFUSED`",
  },
];
