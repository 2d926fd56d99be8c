import { useMessages } from "../messages/language.ts";

/** A file, its key, and the five nodes that each hold a shard of the key; three are highlighted. */
export function SplitPicture() {
  const { connect } = useMessages();
  const nodes = [24, 72, 120, 168, 216];
  const lit = new Set([0, 2, 3]);
  return (
    <svg className="split-picture" viewBox="0 0 420 240" role="img" aria-labelledby="split-title">
      <title id="split-title">{connect.picture}</title>
      {nodes.map((y, at) => (
        <path
          key={y}
          className={lit.has(at) ? "split-ray split-lit" : "split-ray"}
          d={`M150 120C240 120 240 ${y} 330 ${y}`}
        />
      ))}
      <g className="split-file">
        <path d="M50 66h62l28 28v80H50z" />
        <path d="M112 66v28h28" />
      </g>
      <g className="split-lock">
        <rect x="76" y="118" width="38" height="30" rx="6" />
        <path d="M83 118v-7a12 12 0 0 1 24 0v7" />
      </g>
      {nodes.map((y, at) => (
        <g key={y} className={lit.has(at) ? "split-node split-lit" : "split-node"}>
          <circle cx="350" cy={y} r="19" />
          <text x="350" y={y + 5}>
            {at + 1}
          </text>
        </g>
      ))}
    </svg>
  );
}
