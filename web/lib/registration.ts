import type { SiteStatus } from '../boot.ts';

/** Whether guests are led to registration: it is open, and the site is not somebody's own. The page itself stays. */
export const offersRegistration = (status: SiteStatus): boolean =>
  (status.WebRegisterEnabled || status.enabled_phone_register) && !status.self_use_mode_enabled;
