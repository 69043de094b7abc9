/** A time cut into hours, days or weeks of a zone. */
import { dayStarts } from '../../core/days.ts';
import { limits } from '../../core/limits.ts';
import { HOUR_SEC } from '../../core/time.ts';
import { formatDateTime } from '../../core/time-text.ts';
import { STEPS, type Step } from './facts.ts';

export interface Steps {
  step: Step;
  /** Where each begins, ascending, unix seconds; the first one at `from`, wherever that lies. */
  starts: number[];
}

/**
 * The pieces of a time, both ends inclusive, of the length that is asked for; of a longer one where there would be more
 * than anybody can look at.
 */
export function stepsOf(from: number, to: number, asked: Step, timeZone: string): Steps {
  for (const step of STEPS.slice(STEPS.indexOf(asked))) {
    const starts = cuts[step](from, to, timeZone);
    if (starts.length <= limits.usageSteps || step === 'week') return { step, starts };
  }
  throw new Error(`no step is called ${asked}`);
}

const cuts: Record<Step, (from: number, to: number, timeZone: string) => number[]> = {
  hour: (from, to) => hourStarts(from, to),
  day: (from, to, timeZone) => daysIn(from, to, timeZone),
  week: (from, to, timeZone) => [
    from,
    ...daysIn(from, to, timeZone)
      .slice(1)
      .filter((day) => isMonday(day, timeZone)),
  ],
};

/** No more are made than tell that there are too many. */
function hourStarts(from: number, to: number): number[] {
  const starts = [from];
  for (let hour = nextHour(from); hour <= to && starts.length <= limits.usageSteps; hour += HOUR_SEC)
    starts.push(hour);
  return starts;
}

const nextHour = (at: number): number => (Math.floor(at / HOUR_SEC) + 1) * HOUR_SEC;

const daysIn = (from: number, to: number, timeZone: string): number[] => [
  from,
  ...dayStarts(from, to, timeZone).filter((start) => start > from && start <= to),
];

const MONDAY = 1;
const isMonday = (at: number, timeZone: string): boolean =>
  new Date(`${formatDateTime(at, timeZone).slice(0, 10)}T00:00:00Z`).getUTCDay() === MONDAY;
