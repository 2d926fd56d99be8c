/** Whether a place is a PostgreSQL database, not a folder or another service. */
export function isDatabase(place: string): boolean {
  return /^postgres(ql)?:\/\//i.test(place);
}
