/** Logo and name. */
export function Brand() {
  return (
    <span className="brand">
      <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
        <rect width="32" height="32" rx="9" className="brand-ground" />
        <path d="M16 10 29 4.5v11zM16 10 3 4.5v11z" className="brand-beam" />
        <path d="M13.6 13h4.8l1.9 13.500h-8.600z" className="brand-tower" />
        <circle cx="16" cy="10" r="3.3" className="brand-light" />
      </svg>
      <span className="brand-name">Keeplight</span>
    </span>
  );
}
