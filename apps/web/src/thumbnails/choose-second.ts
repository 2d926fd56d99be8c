/** Second of a film that its thumbnail shows: many start with a black frame. The length of some is unknown. */
export function chooseSecond(duration: number): number {
  return Number.isFinite(duration) ? Math.min(1, duration / 10) : 0;
}
