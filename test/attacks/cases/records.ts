import { kavachGetAccessConditions } from "../../../src/index.ts";
import type { AttackCase } from "../attack-case.ts";
import { createTarget, listAll } from "../rig.ts";

const NOT_AUTHENTICATED = "the network's word is all there is; a recovery kit made before keeps the right name";

/** Attacks on names, listings, access lists and uploads, which take no key node's shard. */
export const recordAttacks: readonly AttackCase[] = [
  {
    name: "tampered name and MIME type",
    outcome: NOT_AUTHENTICATED,
    attacks: ({ target: { cid } }) => [
      { kind: "tamper-record", cid, claims: { fileName: "invoice.exe", mimeType: "text/html" } },
    ],
    paths: { "file info": "deceived", list: "deceived" },
  },
  {
    name: "another content id under the right name",
    outcome: "file info of another file is refused; in a listing it opens as the file that it is, not as the one meant",
    attacks: ({ target: { cid }, other }) => [{ kind: "tamper-record", cid, claims: { cid: other.cid } }],
    paths: { "file info": "INVALID_RESPONSE", list: "deceived", "make recovery kit": "deceived" },
  },
  {
    name: "a file hidden from listings",
    outcome: "an omission does not show; calls by content id are not affected, and a recovery kit lists the file",
    attacks: ({ target: { cid } }) => [{ kind: "tamper-record", cid, claims: null }],
    paths: { "file info": "HTTP_STATUS", list: "deceived", "make recovery kit": "deceived" },
  },
  {
    name: "an encrypted file listed as public",
    outcome: "a recovery kit made of the listing leaves it out; pass content ids, or use `recovery` on upload",
    attacks: ({ target: { cid } }) => [{ kind: "tamper-record", cid, claims: { encryption: false } }],
    paths: { "file info": "deceived", list: "deceived", "make recovery kit": "deceived" },
  },
  {
    name: "old listings",
    outcome: "nothing dates a response; calls by content id are not affected",
    async attacks(rig) {
      rig.devnet.attacks.add({ kind: "replay", service: "api" });
      await listAll(rig);
      rig.target = await createTarget(rig); // what the old listing lacks
      return [];
    },
    paths: { list: "deceived", "make recovery kit": "deceived" },
  },
  {
    name: "an access list with too many addresses",
    outcome: "the list is one service's word; the five nodes decide by their own",
    attacks: ({ target: { cid }, people: { friend, stranger } }) => [
      { kind: "misreport-access", cid, sharedTo: [friend.signer.address, stranger.signer.address] },
    ],
    paths: { "get access": "deceived", inspect: "deceived" },
  },
  {
    name: "an access list with too few addresses",
    outcome: "the list is one service's word; revoke everyone who must not have access, listed or not",
    attacks: ({ target: { cid } }) => [{ kind: "misreport-access", cid, sharedTo: [] }],
    paths: { "get access": "deceived", inspect: "deceived" },
  },
  {
    name: "an old access list",
    outcome: "the list is one service's word; revoke everyone who must not have access, listed or not",
    async attacks({ people: { owner }, target: { cid } }) {
      const { sharedTo } = await kavachGetAccessConditions(cid, { endpoints: owner.endpoints });
      return [{ kind: "misreport-access", cid, sharedTo: [...sharedTo, owner.signer.address] }];
    },
    paths: { "get access": "deceived", inspect: "deceived" },
  },
  {
    name: "another owner in the access list",
    outcome: "repair refuses to save anything; every other owner call works",
    attacks: ({ target: { cid }, people }) => [
      { kind: "misreport-access", cid, owner: people.stranger.signer.address },
    ],
    paths: { "get access": "deceived", inspect: "deceived", repair: "NOT_OWNER" },
  },
  {
    name: "the content ids of two uploads swapped",
    outcome: "encrypted uploads recognise each file by its computed content id; other uploads need `verifyCid`",
    attacks: () => [
      {
        kind: "misreport-upload",
        change: (items) => items.map(({ Name }, at) => ({ Name, Hash: items.at(-1 - at)?.Hash ?? "" })),
      },
    ],
    uploads: true,
    paths: { upload: "deceived", "upload, verifyCid": "CID_MISMATCH" },
  },
  {
    name: "the content id of another file in the response to an upload",
    outcome: "encrypted uploads refuse to save keys under it; other uploads check it with `verifyCid`",
    attacks: ({ other }) => [
      { kind: "misreport-upload", change: (items) => items.map(({ Name }) => ({ Name, Hash: other.cid })) },
    ],
    uploads: true,
    paths: { upload: "deceived", "upload, verifyCid": "CID_MISMATCH", "upload encrypted": "CID_MISMATCH" },
  },
];
