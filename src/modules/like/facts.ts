/** What the calls on likes and their page alike must know. */

/** 1 a like; a dislike is 2, and is anything else on the wire. */
export const MARK = { like: 1, dislike: 2 } as const;

export const LIKE_TITLE_MAX = 300;
export const LIKE_NOTE_MAX = 2_000;

/** The columns by which its list can be ordered. */
export const LIKE_ORDERS = ['id', 'title', 'user', 'mark', 'time'] as const;
