/**
 * Whose fault it is that an attempt came to nothing: of what the caller asked, of the key, of the channel as a whole, of
 * time, in which the work may have been done; or nobody's, where the failure says nothing of who was asked.
 */
export type Blame = 'caller' | 'key' | 'channel' | 'late' | 'nobody';
