import { testAttacks } from "./attack-tests.ts";
import { contentAttacks } from "./cases/content.ts";

testAttacks(contentAttacks);
