/** The only file that knows how event streams are framed: blank lines, `event:`, `data:`, comments, CR LF. */

/** One event of a stream. */
export interface Frame {
  /** The `event:` field; empty when there is none. */
  event: string;
  /** The `data:` lines, joined by line feeds. */
  data: string;
}
