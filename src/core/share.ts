/**
 * Whose share of what all have together a piece of work takes: every count, room and turn of the console's callers goes by
 * one of these names. What somebody let in keeps nothing from himself: relay keys of a user have one share together, and so
 * has each application that acts for him. Calls of models have theirs by the user alone, with whichever key they come.
 */
export const shareOfUser = (userId: number): string => `user:${userId}`;
export const shareOfKeys = (userId: number): string => `keys-of:${userId}`;
export const shareOfApp = (appId: number, userId: number): string => `app:${appId}:of:${userId}`;
