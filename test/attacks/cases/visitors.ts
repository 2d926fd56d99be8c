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
  {
    name: "a visitor leaves uploads incomplete, or sends nothing more on an open connection",
    outcome:
      "an upload ends after a day without a byte, a request after a minute; `authorize` decides how large each may be, and who may create one",
    noticed: "`createResumableHandler`: `TIMEOUT`, status 410",
    limit: "the disk of the server, by as many uploads as `authorize` lets one person create",
  },
  {
    name: "a visitor continues, reads or removes somebody else's upload",
    outcome: "its URL has 128 random bits, and `authorize` is asked for each request",
    noticed: "`createResumableHandler`: status 403 or 404",
  },
  {
    name: "a visitor sends bytes of another type than announced, in parts",
    outcome: "all bytes are looked at before the first is sent on",
    noticed: "`createResumableHandler`: `UPLOAD_REFUSED`, and nothing is stored",
    limit: "encrypted uploads",
  },
];
