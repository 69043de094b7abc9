/** What the calls on the log and its page alike must know. */

/** The columns by which its list can be ordered. */
export const LOG_ORDERS = ['time', 'token', 'type', 'model', 'duration', 'input', 'output', 'cost'] as const;
/** Of everybody's rows also those that a user's own rows do not show. */
export const ALL_LOG_ORDERS = [...LOG_ORDERS, 'user', 'channel'] as const;

/** What the row of a call tells of the application that made it, without a token of its own. */
export const appRecord = ({
  tokenId,
  appId,
}: {
  tokenId: number;
  appId: number | null;
}): { app_id?: number } => (tokenId === 0 && appId !== null ? { app_id: appId } : {});
