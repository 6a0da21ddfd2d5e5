/** The notes about the columns of one table, for personal-columns.ts. */
export type Columns = {
  /** Columns that can hold nothing about a person: kinds, states, codes, hashes of tokens, names of machines. */
  other?: string[]
  /**
   * By column, what it can hold of a person: a name, a number or an address of theirs, or text about them. People are
   * customers and group members, and users too.
   */
  personal?: Record<string, string>
  /** For tables with personal columns: what deletes their rows, or after which time they go. */
  kept?: string
  /** For tables with personal columns: who can see them, apart from whoever has the database or a backup. */
  shownTo?: string
}
