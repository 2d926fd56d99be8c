import { version } from "react";

// Otherwise the tests would pass on the React of the other tests.
if (!version.startsWith("18.")) throw new Error(`These tests are for React 18, and react is ${version}`);
