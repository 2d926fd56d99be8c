import type { Kit, Proof } from "keeplight";
import { isKeeplightError } from "keeplight";
import { useKit } from "keeplight/react";
import { useCallback } from "react";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsked } from "../ui/use-asked.ts";
import { formatBytes } from "../words/format.ts";
import { checkProof, type ProofVerdict } from "./check-proof.ts";
import { type MerkleWays, walkWays } from "./merkle.ts";
import { MerklePicture } from "./merkle-picture.tsx";

/** A proof with what this page found out about it. */
interface CheckedProof {
  proof: Proof;
  ways: MerkleWays[];
  verdict: ProofVerdict;
}

/** Shows that storage providers hold the file, and checks it here instead of believing it. */
export function ProofPanel({ cid }: { cid: string }) {
  const kit = useKit();
  const ask = useCallback((signal: AbortSignal) => readProof(kit, cid, signal), [kit, cid]);
  const asked = useAsked(ask);
  if (asked.status === "loading") return <section className="card preview-closed preview" aria-busy="true" />;
  if (asked.status === "failed") {
    const notYet = isKeeplightError(asked.error) && asked.error.code === "PROOF_NOT_READY";
    return (
      <section className="card stack">
        {notYet ? (
          <Empty icon="shield" title="No proof yet">
            There is one as soon as the file is part of a storage deal, some time after the upload.
          </Empty>
        ) : (
          <ErrorNote error={asked.error} />
        )}
        <span className="center">
          <Button icon="retry" onClick={asked.again}>
            Look again
          </Button>
        </span>
      </section>
    );
  }
  const { proof, ways, verdict } = asked.value;
  const [deal] = proof.dealInfo;
  const [first] = ways;
  return (
    <div className="stack">
      <section className="card stack" aria-labelledby="proof-title">
        <div className="condition-bar">
          <h2 id="proof-title">
            {verdict.holds ? "Proved: a storage deal holds this file" : "This proof does not hold"}
          </h2>
          <span className={verdict.holds ? "badge badge-good" : "badge badge-bad"}>
            <Icon name={verdict.holds ? "check" : "close"} size={14} />
            {verdict.holds ? "Verified in this page" : "Not verified"}
          </span>
        </div>
        <p className="quiet">
          {verdict.holds
            ? "Two paths of hashes, one from the file’s piece and one from its entry in the deal’s index, lead to the same root."
            : verdict.reason}
        </p>
        {first && <MerklePicture ways={first} holds={verdict.holds} />}
      </section>
      {deal && (
        <section className="card stack" aria-labelledby="deal-title">
          <h2 id="deal-title">The deal</h2>
          <dl className="facts">
            <dt>Deal</dt>
            <dd className="mono">{deal.dealId}</dd>
            <dt>Storage provider</dt>
            <dd className="mono">{deal.storageProvider}</dd>
            <dt>Room in the deal</dt>
            <dd>{formatBytes(deal.proof.indexRecord.size)}</dd>
            <dt>Piece</dt>
            <dd className="mono">{deal.proof.verifierData.commPc}</dd>
          </dl>
        </section>
      )}
    </div>
  );
}

async function readProof(kit: Kit, cid: string, signal: AbortSignal): Promise<CheckedProof> {
  const proof = await kit.getProof(cid, { signal });
  const [ways, verdict] = await Promise.all([
    Promise.all(proof.dealInfo.map((deal) => walkWays(deal.proof))),
    checkProof(proof),
  ]);
  return { proof, ways, verdict };
}
