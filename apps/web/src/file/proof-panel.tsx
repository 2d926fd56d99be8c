import { useKit } from "@keeplight/react";
import type { Deal, Kit } from "keeplight";
import { isKeeplightError } from "keeplight";
import { useCallback } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { useQuery } from "../ui/use-query.ts";
import { checkProof, type ProofVerdict } from "./check-proof.ts";
import { DealFacts } from "./deal-facts.tsx";
import { computePaths, type MerklePaths } from "./merkle.ts";
import { MerklePicture } from "./merkle-picture.tsx";

/** The paths of a proof and its verification, computed in this page, and what the network says of its deal. */
interface CheckedProof {
  status: Deal | undefined;
  paths: MerklePaths[];
  verdict: ProofVerdict;
}

/** Shows the storage proof of the file, whose paths are verified in the page, and what the network says of the deal. */
export function ProofPanel({ cid }: { cid: string }) {
  const { proof } = useMessages();
  const kit = useKit();
  const load = useCallback((signal: AbortSignal) => loadProof(kit, cid, signal), [kit, cid]);
  const query = useQuery(load);
  if (query.status === "loading") return <section className="card preview-closed preview" aria-busy="true" />;
  if (query.status === "failed") {
    const notYet = isKeeplightError(query.error) && query.error.code === "PROOF_NOT_READY";
    return (
      <section className="card stack">
        {notYet ? (
          <Empty icon="shield" title={proof.notYetTitle}>
            {proof.notYetHint}
          </Empty>
        ) : (
          <ErrorNote error={query.error} />
        )}
        <span className="center">
          <Button icon="retry" onClick={query.reload}>
            {proof.checkAgain}
          </Button>
        </span>
      </section>
    );
  }
  const { status, paths, verdict } = query.value;
  const [first] = paths;
  return (
    <div className="stack">
      <section className="card stack" aria-labelledby="proof-title">
        <div className="condition-bar">
          <h2 id="proof-title">{verdict.isValid ? proof.valid : proof.invalid}</h2>
          <span className={verdict.isValid ? "badge badge-good" : "badge badge-bad"}>
            <Icon name={verdict.isValid ? "check" : "close"} size={14} />
            {verdict.isValid ? proof.validBadge : proof.invalidBadge}
          </span>
        </div>
        <p>{verdict.isValid ? proof.validHint : verdict.reason}</p>
        {first && <MerklePicture paths={first} isValid={verdict.isValid} />}
      </section>
      {verdict.isValid && <DealFacts deal={verdict.verified.deals[0]} status={status} />}
    </div>
  );
}

async function loadProof(kit: Kit, cid: string, signal: AbortSignal): Promise<CheckedProof> {
  const proof = await kit.getProof(cid, { signal });
  const [paths, verdict, deals] = await Promise.all([
    Promise.all(proof.dealInfo.map((deal) => computePaths(deal.proof))),
    checkProof(proof),
    // The proof is shown without its dates if the network does not know them.
    kit.getDealStatus(cid, { signal }).catch(() => []),
  ]);
  const [first] = proof.dealInfo;
  const status = deals.find(({ chainDealID, dealId }) => String(chainDealID ?? dealId) === String(first?.dealId));
  return { status, paths, verdict };
}
