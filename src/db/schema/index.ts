/** The whole schema, for Drizzle and drizzle-kit. */
export * from './activity.ts';
export * from './channel.ts';
export * from './desk.ts';
export * from './log.ts';
export * from './model-hub.ts';
export * from './money.ts';
export * from './oauth.ts';
export * from './supplier.ts';
export * from './system.ts';
export * from './task.ts';
export * from './token-request.ts';
export * from './user.ts';
export * from './wallet.ts';
