/** How often the console's calls may be made where root has set nothing else: what others may do is measured by it. */
import { HOUR_SEC } from '../time.ts';

const addressCalls = 600;
const callsSec = 180;

export const consoleCalls = {
  sessionCalls: 3_000,
  /** Of strangers behind one address, and of each browser that was signed in before. */
  addressCalls,
  callsSec,
  addressCallsAnHour: (addressCalls * HOUR_SEC) / callsSec,
} as const;
