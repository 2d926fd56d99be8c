import { useMessages } from "../messages/language.ts";
import { useMedia } from "../ui/use-media.ts";
import type { MerklePaths, MerkleStep } from "./merkle.ts";

const STEP = 34;
const ROOT = { width: 160, height: 30, y: 12 };
const TOP = 104;

/** Horizontal distances; `side` is from a hash to its sibling, `digits` are shown of each. */
interface Measures {
  width: number;
  box: number;
  side: number;
  digits: number;
}

const wideMeasures: Measures = { width: 720, box: 84, side: 118, digits: 8 };
const narrowMeasures: Measures = { width: 344, box: 52, side: 59, digits: 6 };

/** Longer paths are shown by their ends, so that the picture fits a window. */
const ENDS = 2;

/** A step that is shown, or the number of those that are not. */
type ShownStep = MerkleStep | number;

/** Both paths from the leaves to the root: computed hashes are filled, those of the proof are outlined. */
export function MerklePicture({ paths, isValid }: { paths: MerklePaths; isValid: boolean }) {
  const { proof } = useMessages();
  const measures = useMedia("(max-width: 40rem)") ? narrowMeasures : wideMeasures;
  const { width } = measures;
  const [piece, entry] = [shortenPath(paths.piece), shortenPath(paths.entry)];
  const rows = Math.max(piece.length, entry.length);
  const root = paths.piece.at(-1)?.node ?? "";
  const label = isValid
    ? proof.validPicture(paths.piece.length - 1, paths.entry.length - 1, root.slice(0, 12))
    : proof.invalidPicture;
  return (
    <svg className="merkle" viewBox={`0 0 ${width} ${TOP + rows * STEP + 24}`} role="img" aria-label={label}>
      <Path steps={piece} x={width / 4} measures={measures} label={proof.piece} />
      <Path steps={entry} x={(width * 3) / 4} measures={measures} label={proof.entry} />
      <g className="merkle-node merkle-root">
        <rect x={(width - ROOT.width) / 2} y={ROOT.y} width={ROOT.width} height={ROOT.height} rx={8} />
        <text x={width / 2} y={ROOT.y + 19}>
          {isValid ? proof.root(root.slice(0, 10)) : proof.noRoot}
        </text>
      </g>
    </svg>
  );
}

/** Leaves out the root, and the middle of a long path. */
function shortenPath(path: readonly MerkleStep[]): ShownStep[] {
  const steps = path.slice(0, -1);
  const hidden = steps.length - 2 * ENDS;
  return hidden < 2 ? steps : [...steps.slice(0, ENDS), hidden, ...steps.slice(-ENDS)];
}

function Path({
  steps,
  x,
  measures,
  label,
}: {
  steps: readonly ShownStep[];
  x: number;
  measures: Measures;
  label: string;
}) {
  const { proof } = useMessages();
  const getY = (level: number) => TOP + (steps.length - 1 - level) * STEP;
  const bottom = getY(0);
  const fork = TOP - STEP / 2 - 6;
  const underRoot = ROOT.y + ROOT.height;
  const middle = measures.width / 2;
  return (
    <g>
      <path
        className="merkle-edge merkle-path"
        d={`M${x} ${bottom}V${fork}C${x} ${underRoot + 4} ${middle} ${fork - 4} ${middle} ${underRoot}`}
      />
      {steps.map((step, level) => {
        const y = getY(level);
        if (typeof step === "number") {
          return (
            <text key="more" className="merkle-more" x={x} y={y + 4}>
              {proof.moreSteps(step)}
            </text>
          );
        }
        const { node, sibling = "", isRight } = step;
        const side = isRight ? x - measures.side : x + measures.side;
        return (
          <g key={node}>
            <path className="merkle-edge" d={`M${side} ${y}Q${side} ${y - STEP / 2} ${x} ${y - STEP / 2}`} />
            <HashBox x={side} y={y} hash={sibling} measures={measures} />
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
