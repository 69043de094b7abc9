/** Wider than others: a bill has many columns. */
export const LOG_DRAWER_LOOK = 'w-[760px] max-[760px]:w-full';
