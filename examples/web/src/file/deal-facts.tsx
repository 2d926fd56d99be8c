import type { Deal, VerifiedDeal } from "keeplight";
import { formatBytes, formatTime } from "../messages/format.ts";
import { useSession } from "../session/session.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { toSafeName } from "../ui/file-name.tsx";

/** Of Filecoin: its first epoch, in milliseconds since 1970, and the length of each. */
const GENESIS_MS = Date.UTC(2020, 7, 24, 22);
const EPOCH_MS = 30_000;

const EXPLORER = "https://filfox.info/en";

/** A storage deal, as far as it is proved, and what the network says of it. */
export function DealFacts({ deal, status }: { deal: VerifiedDeal; status: Deal | undefined }) {
  const { network } = useSession();
  const id = toSafeName(String(deal.dealId));
  const provider = toSafeName(deal.storageProvider);
  // The deals of a devnet are on no chain.
  const hasExplorer = !network.devnet;
  const until = toDate(status?.endEpoch);
  return (
    <section className="card stack" aria-labelledby="deal-title">
      <h2 id="deal-title">The deal</h2>
      <dl className="facts">
        <dt>Deal</dt>
        <dd className="mono">{hasExplorer && /^\d+$/.test(id) ? <Explorer path={`deal/${id}`}>{id}</Explorer> : id}</dd>
        <dt>Storage provider</dt>
        <dd className="mono">
          {hasExplorer && /^[ft]0\d+$/.test(provider) ? (
            <Explorer path={`address/${provider}`}>{provider}</Explorer>
          ) : (
            provider
          )}
        </dd>
        <dt>Space in deal</dt>
        <dd>{formatBytes(deal.pieceSize)}</dd>
        <dt>Piece CID</dt>
        <dd className="mono piece-cid">
          <span>{deal.pieceCid}</span>
          <CopyButton text={deal.pieceCid} what="piece CID" />
        </dd>
        {until !== undefined && (
          <>
            <dt>Kept until</dt>
            <dd>{formatTime(until)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Explorer({ path, children }: { path: string; children: string }) {
  return (
    <a href={`${EXPLORER}/${path}`} target="_blank" rel="noopener noreferrer" title="View on the explorer">
      {children}
    </a>
  );
}

function toDate(epoch: number | null | undefined): number | undefined {
  const time = GENESIS_MS + Number(epoch) * EPOCH_MS;
  return epoch && Number.isFinite(new Date(time).getTime()) ? time : undefined;
}
