import type { Options } from './store.ts';

/** Whether callers must prove that they are human before they sign in, register or cause mail. */
export const isHumanCheckOn = (options: Options): boolean =>
  options.get('TurnstileCheckEnabled') &&
  options.get('TurnstileSiteKey') !== '' &&
  options.get('TurnstileSecretKey') !== '';
