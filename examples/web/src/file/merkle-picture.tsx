import { useMedia } from "../ui/use-media.ts";
import type { MerkleStep, MerkleWays } from "./merkle.ts";

const STEP = 34;
const ROOT = { width: 160, height: 30, y: 12 };
const TOP = 104;

/** Distances across; `side` is from a hash to the one beside it, `digits` are shown of each. */
interface Measures {
  width: number;
  box: number;
  side: number;
  digits: number;
}

const onDesk: Measures = { width: 720, box: 84, side: 118, digits: 8 };
const inHand: Measures = { width: 344, box: 52, side: 59, digits: 6 };

/** Both ways from the leaves up to the root: filled is what was hashed here, outlined what the proof gave. */
export function MerklePicture({ ways, holds }: { ways: MerkleWays; holds: boolean }) {
  const measures = useMedia("(max-width: 40rem)") ? inHand : onDesk;
  const { width } = measures;
  const rows = Math.max(ways.piece.length, ways.entry.length) - 1;
  const root = ways.piece.at(-1)?.node ?? "";
  const words = holds
    ? `Two Merkle paths, of ${ways.piece.length - 1} and ${ways.entry.length - 1} steps, that meet in the root ${root.slice(0, 12)}.`
    : "Two Merkle paths that do not meet in one root.";
  return (
    <svg className="merkle" viewBox={`0 0 ${width} ${TOP + rows * STEP + 24}`} role="img" aria-label={words}>
      <Way steps={ways.piece} x={width / 4} measures={measures} label="The file’s piece" />
      <Way steps={ways.entry} x={(width * 3) / 4} measures={measures} label="Its entry in the deal’s index" />
      <g className="merkle-node merkle-root">
        <rect x={(width - ROOT.width) / 2} y={ROOT.y} width={ROOT.width} height={ROOT.height} rx={8} />
        <text x={width / 2} y={ROOT.y + 19}>
          {holds ? `root ${root.slice(0, 10)}…` : "no common root"}
        </text>
      </g>
    </svg>
  );
}

function Way({
  steps,
  x,
  measures,
  label,
}: {
  steps: readonly MerkleStep[];
  x: number;
  measures: Measures;
  label: string;
}) {
  const climbing = steps.slice(0, -1);
  const yOf = (level: number) => TOP + (climbing.length - 1 - level) * STEP;
  const bottom = yOf(0);
  const fork = TOP - STEP / 2 - 6;
  const underRoot = ROOT.y + ROOT.height;
  const middle = measures.width / 2;
  return (
    <g>
      <path
        className="merkle-edge merkle-way"
        d={`M${x} ${bottom}V${fork}C${x} ${underRoot + 4} ${middle} ${fork - 4} ${middle} ${underRoot}`}
      />
      {climbing.map(({ node, beside = "", isRight }, level) => {
        const y = yOf(level);
        const side = isRight ? x - measures.side : x + measures.side;
        return (
          <g key={node}>
            <path className="merkle-edge" d={`M${side} ${y}Q${side} ${y - STEP / 2} ${x} ${y - STEP / 2}`} />
            <HashBox x={side} y={y} hash={beside} measures={measures} />
            <HashBox x={x} y={y} hash={node} measures={measures} on />
          </g>
        );
      })}
      <text className="merkle-label" x={x} y={bottom + 30}>
        {label}
      </text>
    </g>
  );
}

function HashBox({
  x,
  y,
  hash,
  measures: { box, digits },
  on = false,
}: {
  x: number;
  y: number;
  hash: string;
  measures: Measures;
  on?: boolean;
}) {
  return (
    <g className={on ? "merkle-node merkle-on" : "merkle-node"}>
      <title>{hash}</title>
      <rect x={x - box / 2} y={y - 11} width={box} height={22} rx={6} />
      <text x={x} y={y + 4}>
        {hash.slice(0, digits)}…
      </text>
    </g>
  );
}
