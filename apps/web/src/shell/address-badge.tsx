/** A round picture computed from the address, to distinguish accounts at a glance. */
export function AddressBadge({ address, size = 34 }: { address: string; size?: number }) {
  let hash = 0;
  for (const character of address.toLowerCase()) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  const hue = hash % 360;
  const turn = (hash >>> 9) % 360;
  return (
    <svg className="address-badge" width={size} height={size} viewBox="0 0 34 34" aria-hidden="true">
      <circle cx="17" cy="17" r="17" fill={`hsl(${hue} 52% 42%)`} />
      <g transform={`rotate(${turn} 17 17)`}>
        <path d="M17 0a17 17 0 0 1 17 17H17z" fill={`hsl(${(hue + 40) % 360} 70% 68%)`} />
        <circle cx="11" cy="22" r="5" fill={`hsl(${(hue + 190) % 360} 70% 78%)`} />
      </g>
    </svg>
  );
}
