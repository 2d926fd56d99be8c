import { openState } from "../src/state/open-state.ts";

// A separate process whose files cannot become as large as it tries to make them; prints which of its changes were written.
const map = openState(process.argv[2] ?? "").map<string>("a");
const written: string[] = [];
for (const [key, length] of Object.entries({ small: 10, large: 6_000, tooLarge: 40_000, other: 10, again: 40_000 })) {
  try {
    map.set(key, "x".repeat(length));
    written.push(key);
  } catch {
    // the next one may be small enough
  }
}
console.log(JSON.stringify({ written, known: [...map.keys()] }));
