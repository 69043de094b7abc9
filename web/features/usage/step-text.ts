import { formatDateTime } from '@core/time-text.ts';
import type { Step } from '@modules/usage/facts.ts';

/** What a step is called below its bar: `05-01`, `14:00`; at midnight an hour is called by its day. */
export function stepText(start: number, step: Step, timeZone: string): string {
  const text = formatDateTime(start, timeZone);
  const [day, time] = [text.slice(5, 10), text.slice(11, 16)];
  return step === 'hour' && time !== '00:00' ? time : day;
}
