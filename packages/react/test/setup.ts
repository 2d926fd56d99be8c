import { beforeEach } from "vitest";
import { cleanup } from "vitest-browser-react/pure";
// Before any code that keeps a reference to `fetch`.
import "./traffic.ts";

// The library does so for the first file of a page only.
beforeEach(cleanup);
