import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** False on the server and until the browser has taken over: for parts that do nothing without JavaScript. */
export const useLive = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
