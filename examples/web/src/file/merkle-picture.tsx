import type { MerkleStep, MerkleWays } from "./merkle.ts";

const STEP = 34;
const NODE = { width: 84, height: 22 };
const WIDTH = 720;
const ROOT = { width: 160, height: 30, y: 12 };
const TOP = 104;
const columns = { piece: 180, entry: 540 };

/** Both ways from the leaves up to the root: filled is what was hashed here, outlined what the proof gave. */
export function MerklePicture({ ways, holds }: { ways: MerkleWays; holds: boolean }) {
  const rows = Math.max(ways.piece.length, ways.entry.length) - 1;
  const root = ways.piece.at(-1)?.node ?? "";
  const words = holds
    ? `Two Merkle paths, of ${ways.piece.length - 1} and ${ways.entry.length - 1} steps, that meet in the root ${root.slice(0, 12)}.`
    : "Two Merkle paths that do not meet in one root.";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
    <section className="merkle-scroll" tabIndex={0} aria-label="Picture of the proof">
      <svg className="merkle" viewBox={`0 0 ${WIDTH} ${TOP + rows * STEP + 24}`} role="img" aria-label={words}>
        <Way steps={ways.piece} x={columns.piece} label="The file’s piece" />
        <Way steps={ways.entry} x={columns.entry} label="Its entry in the deal’s index" />
        <g className="merkle-node merkle-root">
          <rect x={(WIDTH - ROOT.width) / 2} y={ROOT.y} width={ROOT.width} height={ROOT.height} rx={8} />
          <text x={WIDTH / 2} y={ROOT.y + 19}>
            {holds ? `root ${root.slice(0, 10)}…` : "no common root"}
          </text>
        </g>
      </svg>
    </section>
  );
}

function Way({ steps, x, label }: { steps: readonly MerkleStep[]; x: number; label: string }) {
  const climbing = steps.slice(0, -1);
  const yOf = (level: number) => TOP + (climbing.length - 1 - level) * STEP;
  const bottom = yOf(0);
  const fork = TOP - STEP / 2 - 6;
  const underRoot = ROOT.y + ROOT.height;
  return (
    <g>
      <path
        className="merkle-edge merkle-way"
        d={`M${x} ${bottom}V${fork}C${x} ${underRoot + 4} ${WIDTH / 2} ${fork - 4} ${WIDTH / 2} ${underRoot}`}
      />
      {climbing.map(({ node, beside = "", isRight }, level) => {
        const y = yOf(level);
        const side = x + (isRight ? -118 : 118);
        return (
          <g key={node}>
            <path className="merkle-edge" d={`M${side} ${y}Q${side} ${y - STEP / 2} ${x} ${y - STEP / 2}`} />
            <HashBox x={side} y={y} hash={beside} />
            <HashBox x={x} y={y} hash={node} on />
          </g>
        );
      })}
      <text className="merkle-label" x={x} y={bottom + 30}>
        {label}
      </text>
    </g>
  );
}

function HashBox({ x, y, hash, on = false }: { x: number; y: number; hash: string; on?: boolean }) {
  return (
    <g className={on ? "merkle-node merkle-on" : "merkle-node"}>
      <title>{hash}</title>
      <rect x={x - NODE.width / 2} y={y - NODE.height / 2} width={NODE.width} height={NODE.height} rx={6} />
      <text x={x} y={y + 4}>
        {hash.slice(0, 8)}…
      </text>
    </g>
  );
}
