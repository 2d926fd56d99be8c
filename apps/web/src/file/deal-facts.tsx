import type { VerifiedDeal } from "@keeplight/proof";
import type { Deal } from "keeplight";
import { formatBytes, formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { toSafeName } from "../ui/file-name.tsx";

/** Of Filecoin: its first epoch, in milliseconds since 1970, and the length of each. */
const GENESIS_MS = Date.UTC(2020, 7, 24, 22);
const EPOCH_MS = 30_000;

const EXPLORER = "https://filfox.info/en";

/** A storage deal as the network reports it, and the piece that is proved to be in the aggregate. */
export function DealFacts({ deal, status }: { deal: VerifiedDeal; status: Deal | undefined }) {
  const { proof } = useMessages();
  const { network } = useSession();
  const id = toSafeName(String(deal.dealId));
  const provider = toSafeName(deal.storageProvider);
  // The deals of a devnet are on no chain.
  const hasExplorer = !network.devnet;
  const until = toDate(status?.endEpoch);
  return (
    <section className="card stack" aria-labelledby="deal-title">
      <h2 id="deal-title">{proof.deal}</h2>
      <dl className="facts">
        <dt>{proof.dealId}</dt>
        <dd className="mono">{hasExplorer && /^\d+$/.test(id) ? <Explorer path={`deal/${id}`}>{id}</Explorer> : id}</dd>
        <dt>{proof.provider}</dt>
        <dd className="mono">
          {hasExplorer && /^[ft]0\d+$/.test(provider) ? (
            <Explorer path={`address/${provider}`}>{provider}</Explorer>
          ) : (
            provider
          )}
        </dd>
        <dt>{proof.space}</dt>
        <dd>{formatBytes(deal.pieceSize)}</dd>
        <dt>{proof.pieceCid}</dt>
        <dd className="mono piece-cid">
          <span>{deal.pieceCid}</span>
          <CopyButton text={deal.pieceCid} what={proof.pieceCidCopied} />
        </dd>
        {until !== undefined && (
          <>
            <dt>{proof.keptUntil}</dt>
            <dd>{formatTime(until)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Explorer({ path, children }: { path: string; children: string }) {
  const { proof } = useMessages();
  return (
    <a href={`${EXPLORER}/${path}`} target="_blank" rel="noopener noreferrer" title={proof.viewOnExplorer}>
      {children}
    </a>
  );
}

function toDate(epoch: number | null | undefined): number | undefined {
  const time = GENESIS_MS + Number(epoch) * EPOCH_MS;
  return epoch && Number.isFinite(new Date(time).getTime()) ? time : undefined;
}
