/** `never` for a list that is written as `[]`, which no call can use; the length of any other is checked by the call. */
export type NotEmpty<List> = List extends readonly [] ? never : unknown;
