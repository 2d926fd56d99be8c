import { createContext, useContext } from "react";
import type { Explanation } from "./en/errors.ts";
import { explainError } from "./explain-error.ts";

/** What explains errors, where some of them mean something else than elsewhere. */
export const ExplainContext = createContext<(error: unknown) => Explanation>(explainError);

export const useExplain = () => useContext(ExplainContext);
