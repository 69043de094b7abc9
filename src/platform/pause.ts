/** Lets others have the event loop, between parts of a work that takes milliseconds each. */
export const pause = (): Promise<void> => Bun.sleep(0);
