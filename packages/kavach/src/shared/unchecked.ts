/** What the incumbent's types leave unchecked. Programs that rely on it are to compile unchanged. */
// biome-ignore lint/suspicious/noExplicitAny: any other type would be an error in some program that compiles now
export type Unchecked = any;
