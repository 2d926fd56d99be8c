/** A progress bar; `fraction` is 0 to 1. */
export function ProgressBar({ fraction, label }: { fraction: number; label: string }) {
  const percent = Math.floor(fraction * 100);
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <span style={{ transform: `scaleX(${fraction})` }} />
    </div>
  );
}
